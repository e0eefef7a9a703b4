// What `check` asks of the store: SQLite's own check of the file, the invariants between the tables, and the audit chain.
// Repairs nothing.

import { AuditChainCheck } from "../chain-check.ts";
import { payloadDigest } from "../payload-digest.ts";
import type { IntegrityReport } from "../store.ts";
import { checkAuditChain } from "../sql/audit.ts";
import { checkReceiptChain } from "../sql/receipt.ts";
import type { Connection } from "./connection.ts";

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
      SELECT 'record ' || record_no AS subject FROM record
      WHERE NOT EXISTS (SELECT 1 FROM change WHERE change.record_no = record.record_no) LIMIT ?`,
  },
  {
    broken: "A change has no record",
    sql: `
      SELECT 'change ' || record_no || '/' || change_no AS subject FROM change
      WHERE record_no NOT IN (SELECT record_no FROM record) LIMIT ?`,
  },
  {
    broken: "A later change has no digest, or a first one has",
    sql: `
      SELECT 'change ' || record_no || '/' || change_no AS subject FROM change
      WHERE (change_no = record_no) <> (digest IS NULL) LIMIT ?`,
  },
  {
    broken: "Two records have the same number",
    sql: `
      SELECT 'record ' || record_no AS subject FROM record
      GROUP BY record_no HAVING count(*) > 1 LIMIT ?`,
  },
  {
    broken: "A relation begins at a record that does not exist",
    sql: `
      SELECT from_type || ' ' || from_id || ' of ' || organization_id AS subject FROM relation
      WHERE NOT EXISTS (
        SELECT 1 FROM record
        WHERE record.organization_id = relation.organization_id
          AND resource_type = from_type AND resource_id = from_id) LIMIT ?`,
  },
  {
    broken: "More than one deletion of a record is open",
    sql: `
      SELECT min(deletion_request_id) AS subject FROM deletion
      WHERE status IN ('pending', 'processing')
      GROUP BY organization_id, resource_type, resource_id HAVING count(*) > 1 LIMIT ?`,
  },
  {
    broken: "A deletion that is neither processing nor being planned has a plan",
    sql: `
      SELECT DISTINCT deletion_request_id AS subject
      FROM deletion_target LEFT JOIN deletion USING (deletion_request_id)
      WHERE status IS NOT 'processing' AND (claimant IS NULL OR status = 'completed') LIMIT ?`,
  },
  {
    broken: "A deletion that is processing has no plan",
    sql: `
      SELECT deletion_request_id AS subject FROM deletion
      WHERE status = 'processing' AND NOT EXISTS (
        SELECT 1 FROM deletion_target AS target
        WHERE target.deletion_request_id = deletion.deletion_request_id) LIMIT ?`,
  },
  {
    broken: "A change has a number that was not given out",
    sql: `
      SELECT 'change ' || record_no || '/' || change_no AS subject FROM change
      WHERE change_no > (SELECT value FROM counter WHERE name = 'arrival') LIMIT ?`,
  },
];

export function checkIntegrity(connection: Connection): IntegrityReport {
  const findings = [...checkFile(connection)];
  for (const { broken, sql } of invariants) {
    const rows = connection.all<{ subject: string }>(sql, findingsMax);
    findings.push(...rows.map(({ subject }) => `${broken}: ${subject}.`));
  }
  findings.push(...checkDigests(connection), ...checkChains(connection));
  return { ok: findings.length === 0, findings: findings.slice(0, findingsMax) };
}

function checkFile(connection: Connection): readonly string[] {
  return [
    ...connection
      .all<{ integrity_check: string }>(`PRAGMA integrity_check(${findingsMax})`)
      .map((row) => row.integrity_check)
      .filter((line) => line !== "ok")
      .map((line) => `SQLite says of the file: ${line}.`),
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

/** Says what is wrong with the first entry that does not follow from the one before; then with receipts. */
function checkChains(connection: Connection): readonly string[] {
  const audit = new AuditChainCheck();
  const brokenEntry = connection.perform(checkAuditChain, audit);
  const brokenReceipt = connection.perform(checkReceiptChain, audit.cuts);
  return [brokenReceipt, brokenEntry].filter((found) => found !== undefined);
}
