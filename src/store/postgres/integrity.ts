// What `check` asks of the store: the invariants between the tables, and the audit chain. The server looks after its own
// files (pg_amcheck, data checksums). Repairs nothing.

import { AuditChainCheck } from "../chain-check.ts";
import type { IntegrityReport } from "../store.ts";
import { checkAuditChain } from "../sql/audit.ts";
import { checkReceiptChain } from "../sql/receipt.ts";
import type { Database } from "./database.ts";
import { withoutTimeouts } from "./scope.ts";
import type { Transaction } from "./transaction.ts";

const findingsMax = 100;

interface Invariant {
  /** Said when a row is found. */
  readonly broken: string;
  /** Finds rows that break it, with a column `subject` to name each. */
  readonly sql: string;
}

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
    broken: "A later change has no digest",
    sql: `
      SELECT resource_type || ' ' || resource_id || ' of ' || organization_id AS subject FROM change
      WHERE digest IS NULL AND EXISTS (
        SELECT 1 FROM change AS earlier
        WHERE earlier.resource_id = change.resource_id
          AND earlier.organization_id = change.organization_id
          AND earlier.resource_type = change.resource_type
          AND earlier.change_no < change.change_no) LIMIT $1`,
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
  {
    broken: "More than one deletion of a record is open",
    sql: `
      SELECT min(deletion_request_id) AS subject FROM deletion
      WHERE status IN ('pending', 'processing')
      GROUP BY organization_id, resource_type, resource_id HAVING count(*) > 1 LIMIT $1`,
  },
];

/** Two statements: of a deletion and its plan, only the plan is spread over a cluster. */
const findPlanned = `SELECT DISTINCT deletion_request_id AS subject FROM deletion_target`;
const findProcessing = `
  SELECT deletion_request_id AS subject FROM deletion WHERE status = 'processing'`;

/** The nodes of a cluster do not show one and the same moment, so only what is found twice is. */
export async function checkIntegrity(database: Database): Promise<IntegrityReport> {
  let findings = await database.transaction(withoutTimeouts, look);
  if (findings.length > 0 && database.distributed) {
    const again = new Set(await database.transaction(withoutTimeouts, look));
    findings = findings.filter((finding) => again.has(finding));
  }
  return { ok: findings.length === 0, findings: findings.slice(0, findingsMax) };
}

async function look(transaction: Transaction): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const { broken, sql } of invariants) {
    const rows = await transaction.all<{ subject: string }>(sql, findingsMax);
    findings.push(...rows.map(({ subject }) => `${broken}: ${subject}.`));
  }
  findings.push(...(await checkPlans(transaction)));
  findings.push(...(await checkChains(transaction)));
  return findings;
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

async function checkChains(transaction: Transaction): Promise<readonly string[]> {
  const audit = new AuditChainCheck();
  const brokenEntry = await transaction.perform(checkAuditChain, audit);
  const brokenReceipt = await transaction.perform(checkReceiptChain, audit.cuts);
  return [brokenReceipt, brokenEntry].filter((found) => found !== undefined);
}
