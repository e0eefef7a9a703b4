// What `check` verifies in the store: SQLite's own check of the file, the invariants between the tables, and the
// chains. Repairs nothing.

import { comparedChanges, payloadDigest } from "../shared/payload-digest.ts";
import type { IntegrityReport } from "../interface/check-report.ts";
import { checkChains, findBroken, findingsMax, type Invariant } from "../sql/trail/integrity.ts";
import type { Connection } from "./connection.ts";

const invariants: readonly Invariant[] = [
  {
    broken: "A record has no change",
    sql: `
      SELECT 'record ' || record_no AS subject FROM record
      WHERE NOT EXISTS (SELECT 1 FROM change WHERE change.record_no = record.record_no) LIMIT $1`,
  },
  {
    broken: "A change has no record",
    sql: `
      SELECT 'change ' || record_no || '/' || change_no AS subject FROM change
      WHERE record_no NOT IN (SELECT record_no FROM record) LIMIT $1`,
  },
  {
    broken: "A first change has a digest",
    sql: `
      SELECT 'change ' || record_no || '/' || change_no AS subject FROM change
      WHERE change_no = record_no AND digest IS NOT NULL LIMIT $1`,
  },
  {
    broken: `A change after the first ${comparedChanges} of its record has no digest`,
    sql: `
      SELECT 'change ' || record_no || '/' || change_no AS subject
      FROM (
        SELECT record_no, change_no, digest,
          row_number() OVER (PARTITION BY record_no ORDER BY change_no) AS position
        FROM change)
      WHERE digest IS NULL AND position > ${comparedChanges} LIMIT $1`,
  },
  {
    broken: "Two records have the same number",
    sql: `
      SELECT 'record ' || record_no AS subject FROM record
      GROUP BY record_no HAVING count(*) > 1 LIMIT $1`,
  },
  {
    broken: "A relation begins at a record that does not exist",
    sql: `
      SELECT from_type || ' ' || from_id || ' of ' || organization_id AS subject FROM relation
      WHERE NOT EXISTS (
        SELECT 1 FROM record
        WHERE record.organization_id = relation.organization_id
          AND resource_type = from_type AND resource_id = from_id) LIMIT $1`,
  },
  {
    broken: "A deletion that is neither processing nor being planned has a plan",
    sql: `
      SELECT DISTINCT deletion_request_id AS subject
      FROM deletion_target LEFT JOIN deletion USING (deletion_request_id)
      WHERE status IS NOT 'processing' AND (claimant IS NULL OR status = 'completed') LIMIT $1`,
  },
  {
    broken: "A deletion that is processing has no plan",
    sql: `
      SELECT deletion_request_id AS subject FROM deletion
      WHERE status = 'processing' AND NOT EXISTS (
        SELECT 1 FROM deletion_target AS target
        WHERE target.deletion_request_id = deletion.deletion_request_id) LIMIT $1`,
  },
  {
    broken: "A change has a number that was not given out",
    sql: `
      SELECT 'change ' || record_no || '/' || change_no AS subject FROM change
      WHERE change_no > (SELECT value FROM counter WHERE name = 'arrival') LIMIT $1`,
  },
];

export function checkIntegrity(connection: Connection): IntegrityReport {
  const findings = [
    ...checkFile(connection),
    ...connection.perform(findBroken, invariants),
    ...checkDigests(connection),
    ...connection.perform(checkChains),
  ];
  return { ok: findings.length === 0, findings: findings.slice(0, findingsMax) };
}

function checkFile(connection: Connection): readonly string[] {
  return [
    ...connection
      .all<{ integrity_check: string }>(`PRAGMA integrity_check(${findingsMax})`)
      .map((row) => row.integrity_check)
      .filter((line) => line !== "ok")
      .map((line) => `SQLite reports about the file: ${line}.`),
    ...connection
      .all<{ table: string }>("PRAGMA foreign_key_check")
      .map(({ table }) => `A row of ${table} refers to a row that does not exist.`),
  ];
}

const findDigests = `
  SELECT 'change ' || record_no || '/' || change_no AS subject, digest, payload FROM change
  WHERE digest IS NOT NULL`;

interface DigestRow {
  readonly subject: string;
  readonly digest: number;
  readonly payload: string;
}

function checkDigests(connection: Connection): readonly string[] {
  const findings: string[] = [];
  for (const { subject, digest, payload } of connection.each<DigestRow>(findDigests)) {
    if (digest === payloadDigest(payload)) continue;
    findings.push(`The digest of a change is not that of its payload: ${subject}.`);
    if (findings.length === findingsMax) break;
  }
  return findings;
}
