// Verifies the store for `check`: the invariants between the tables, the chains, and what statements can still see of
// completed deletions. The server has its own tools for its files (pg_amcheck, data checksums). Repairs nothing.

import {
  findingsMax,
  type IntegrityReport,
  type ErasureFinding,
  type ErasureReport,
} from "../interface/store.ts";
import type { Invariant } from "../sql/part.ts";
import { checkChains, findBroken } from "../sql/trail/integrity.ts";
import { checkParties } from "../sql/party/check-parties.ts";
import { checkCounter } from "../sql/record/arrivals.ts";
import type { Database } from "./database.ts";
import { reportOf } from "../shared/schema-parts.ts";
import { compareSchema } from "./migration/actual-schema.ts";
import { comparedChanges } from "../shared/payload-digest.ts";
import { allOrganizations, withoutTimeouts } from "../sql/statement/visibility.ts";
import type { Transaction } from "./transaction.ts";
import { listOutlived } from "../sql/deletion/outlived.ts";

const invariants: readonly Invariant[] = [
  {
    broken: "A record has no change",
    sql: `
      SELECT resource_type || ' ' || resource_id || ' of ' || organization_id AS subject FROM record
      WHERE NOT EXISTS (
        SELECT 1 FROM change
        WHERE change.resource_id = record.resource_id
          AND change.organization_id = record.organization_id
          AND change.resource_type = record.resource_type) LIMIT $1`,
  },
  {
    broken: "A change has no record",
    sql: `
      SELECT resource_type || ' ' || resource_id || ' of ' || organization_id AS subject FROM change
      WHERE NOT EXISTS (
        SELECT 1 FROM record
        WHERE record.resource_id = change.resource_id
          AND record.organization_id = change.organization_id
          AND record.resource_type = change.resource_type) LIMIT $1`,
  },
  {
    broken: `A change after the first ${comparedChanges} of its record has no digest`,
    sql: `
      SELECT resource_type || ' ' || resource_id || ' of ' || organization_id AS subject
      FROM (
        SELECT organization_id, resource_type, resource_id, digest, row_number() OVER (
          PARTITION BY organization_id, resource_type, resource_id ORDER BY change_no) AS position
        FROM change) AS numbered
      WHERE digest IS NULL AND position > ${comparedChanges} LIMIT $1`,
  },
  {
    broken: "The digest of a change is not that of its payload",
    sql: `
      SELECT resource_type || ' ' || resource_id || ' of ' || organization_id AS subject FROM change
      WHERE digest <> ('x' || encode(
        substring(sha256(convert_to(payload, 'UTF8')) FROM 1 FOR 6), 'hex'))::bit(48)::bigint LIMIT $1`,
  },
  {
    broken: "A relation begins at a record that does not exist",
    sql: `
      SELECT from_type || ' ' || from_id || ' of ' || organization_id AS subject
      FROM (
        SELECT organization_id, from_type, from_id FROM relation
        EXCEPT SELECT organization_id, resource_type, resource_id FROM record) AS lost
      LIMIT $1`,
  },
];

/** Two statements, because only the plan of a deletion is distributed over a cluster. */
const findPlanned = `SELECT DISTINCT deletion_request_id AS subject FROM deletion_target`;
const findProcessing = `
  SELECT deletion_request_id AS subject FROM deletion WHERE status = 'processing'`;

/** The nodes of a cluster have no common snapshot, so only findings that a second check repeats count there. */
export async function checkIntegrity(database: Database): Promise<IntegrityReport> {
  const schema = await database.transaction(allOrganizations, compareSchema);
  // Nothing reads the rows if tables or columns are missing.
  if (!schema.isReadable) return reportOf(schema, { findings: [], max: findingsMax });
  let findings = await database.transaction(withoutTimeouts, findAll);
  if (findings.length > 0 && database.distributed) {
    const again = new Set(await database.transaction(withoutTimeouts, findAll));
    findings = findings.filter((finding) => again.has(finding));
  }
  return reportOf(schema, { findings, max: findingsMax });
}

async function findAll(transaction: Transaction): Promise<readonly string[]> {
  return [
    ...(await transaction.perform(findBroken, invariants)),
    ...(transaction.distributed ? [] : await transaction.perform(checkCounter)),
    ...(await transaction.perform(checkParties)),
    ...(await checkPlans(transaction)),
    ...(await transaction.perform(checkChains)),
  ];
}

async function checkPlans(transaction: Transaction): Promise<readonly string[]> {
  const planned = await readSubjects(transaction, findPlanned);
  const processing = await readSubjects(transaction, findProcessing);
  return [
    ...[...planned.difference(processing)].map(
      (id) => `A deletion that is not processing has a plan: ${id}.`,
    ),
    ...[...processing.difference(planned)].map(
      (id) => `A deletion that is processing has no plan: ${id}.`,
    ),
  ];
}

async function readSubjects(transaction: Transaction, sql: string): Promise<Set<string>> {
  return new Set((await transaction.all<{ subject: string }>(sql)).map(({ subject }) => subject));
}

/** Shards that a rebalancing has moved and not removed yet. */
const findOrphans = `SELECT object_name AS name FROM pg_dist_cleanup LIMIT 100`;

const pages: ErasureFinding = {
  severe: false,
  text:
    "The pages of the server's files were not searched. docs/reference/what-we-erase.md has the statements that search them, " +
    "for a superuser.",
};

export async function checkErasure(database: Database): Promise<ErasureReport> {
  const outlived = await database.transaction(withoutTimeouts, (tx) => tx.perform(listOutlived));
  const orphans = database.distributed
    ? await database.transaction(withoutTimeouts, listOrphans)
    : [];
  return { findings: [...outlived, ...orphans, pages] };
}

async function listOrphans(transaction: Transaction): Promise<readonly ErasureFinding[]> {
  const orphans = await transaction.all<{ name: string }>(findOrphans);
  return orphans.map(({ name }) => ({
    severe: true,
    text: `${name} was moved to another node, and the old copy is not removed yet.`,
  }));
}
