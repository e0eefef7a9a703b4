// What `check` verifies in the store: SQLite's own check of the file, the invariants between the tables, and the
// chains. Repairs nothing.

import { comparedChanges, payloadDigest } from "../shared/payload-digest.ts";
import { type ErasureReport, findingsMax, type IntegrityReport } from "../interface/store.ts";
import type { Invariant } from "../sql/part.ts";
import { checkChains, findBroken } from "../sql/trail/integrity.ts";
import { reportOf, type SchemaDifference } from "../shared/schema-parts.ts";
import { compareSchema } from "./migration/migrate.ts";
import { checkParties } from "../sql/party/check-parties.ts";
import { checkCounter } from "../sql/record/arrivals.ts";
import { isBeingErased } from "../sql/erase/organization-erasure.ts";
import { type Connection, savepoint } from "./connection.ts";
import { walBytes } from "./file/checkpoint-freeze.ts";
import type { FileTasks } from "./file/file-tasks.ts";
import { listOutlived } from "../sql/deletion/outlived.ts";
import { findAllResidue } from "./erase/free-space.ts";

/** The records and the changes, each read once. One statement computes all of it, so it describes one moment. */
interface Summary {
  /** 1 if the numbers of records are the numbers that changes have. */
  readonly areSame: number;
  /** The largest number of changes of a record. */
  readonly longest: number;
}

const prime = 2_147_483_647;

/**
 * Two sets of numbers are the same if they have the same size, sum, and sum of squares modulo a prime. Sets of numbers
 * below the prime that differ in one or two of them always differ in these, and others with a probability of 1 - 2^-31
 * at least. Comparing the sets themselves takes several times as long, and memory for each number.
 */
const square = `(record_no % ${prime}) * (record_no % ${prime}) % ${prime}`;
const sums = `count(*) AS size, sum(record_no) AS total, sum(${square}) AS squares`;

const summarise = `
  WITH recorded AS (SELECT ${sums} FROM record),
    changed AS (
      SELECT ${sums}, max(changes) AS longest
      FROM (SELECT record_no, count(*) AS changes FROM change GROUP BY record_no))
  SELECT (recorded.size, recorded.total, recorded.squares)
      IS (changed.size, changed.total, changed.squares) AS areSame,
    coalesce(longest, 0) AS longest
  FROM recorded CROSS JOIN changed`;

/** An invariant that takes long to verify row by row. */
interface SummarisedInvariant extends Invariant {
  /** True if the summary does not prove that every row is right. */
  readonly mayBeBroken: (summary: Summary) => boolean;
}

const summarised: readonly SummarisedInvariant[] = [
  {
    broken: "A record has no change",
    sql: `
      SELECT 'record ' || record_no AS subject FROM record
      WHERE NOT EXISTS (SELECT 1 FROM change WHERE change.record_no = record.record_no)
        AND NOT ${isBeingErased} LIMIT $1`,
    mayBeBroken: ({ areSame }) => areSame === 0,
  },
  {
    broken: "A change has no record",
    sql: `
      SELECT 'change ' || record_no || '/' || change_no AS subject FROM change
      WHERE record_no NOT IN (SELECT record_no FROM record) LIMIT $1`,
    mayBeBroken: ({ areSame }) => areSame === 0,
  },
  {
    broken: "Two records have the same number",
    sql: `
      SELECT 'record ' || record_no AS subject FROM record
      GROUP BY record_no HAVING count(*) > 1 LIMIT $1`,
    mayBeBroken: ({ areSame }) => areSame === 0,
  },
  {
    broken: `A change after the first ${comparedChanges} of its record has no digest`,
    sql: `
      SELECT 'change ' || record_no || '/' || change_no AS subject
      FROM (
        SELECT record_no, change_no, digest,
          row_number() OVER (PARTITION BY record_no ORDER BY change_no) AS position
        FROM change WHERE record_no IN (
          SELECT record_no FROM change GROUP BY record_no HAVING count(*) > ${comparedChanges}))
      WHERE digest IS NULL AND position > ${comparedChanges} LIMIT $1`,
    mayBeBroken: ({ longest }) => longest > comparedChanges,
  },
];

const invariants: readonly Invariant[] = [
  {
    broken: "A first change has a digest",
    sql: `
      SELECT 'change ' || record_no || '/' || change_no AS subject FROM change
      WHERE change_no = record_no AND digest IS NOT NULL LIMIT $1`,
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
];

/** Checks the file in its thread, and the tables in this thread at the same time; each takes about half of the time. */
export async function checkIntegrity(
  connection: Connection,
  files: FileTasks,
): Promise<IntegrityReport> {
  const schema = compareSchema(connection);
  // Nothing reads the rows if tables or columns are missing.
  const checkRows = () => (schema.isReadable ? checkTables(connection, schema) : []);
  const parts = [files.ask("checkFile"), Promise.resolve().then(checkRows)];
  const findings = (await Promise.all(parts)).flat();
  return reportOf(schema, { findings, max: findingsMax });
}

function checkTables(connection: Connection, schema: SchemaDifference): readonly string[] {
  const isWhole = schema.findings.length === 0;
  return [
    ...connection
      .all<{ table: string }>("PRAGMA foreign_key_check")
      .map(({ table }) => `A row of ${table} refers to a row that does not exist.`),
    ...connection.perform(findBroken, [...suspected(connection), ...invariants]),
    ...checkDigests(connection),
    ...connection.perform(checkCounter),
    // Its statements name indexes.
    ...(isWhole ? savepoint(connection, () => connection.perform(checkParties)) : []),
    ...connection.perform(checkChains),
  ];
}

function suspected(connection: Connection): readonly Invariant[] {
  const summary = connection.get<Summary>(summarise);
  return summarised.filter(({ mayBeBroken }) => summary === undefined || mayBeBroken(summary));
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

const findAnyBegun = `SELECT 1 FROM deletion WHERE status IN ('processing', 'completed') LIMIT 1`;

const findOpen = `SELECT count(*) AS open FROM deletion WHERE status = 'processing'`;

/** Changes that outlived the deletion of their record, and content in the free space of the file. */
export function checkErasure(connection: Connection, descriptor: number): ErasureReport {
  const findings = [...connection.perform(listOutlived)];
  // If nothing was erased yet, free space only contains copies of stored data, or of the schema itself.
  const isBegun = connection.get(findAnyBegun) !== undefined;
  const pages = isBegun ? findAllResidue(descriptor).length : 0;
  if (pages > 0) {
    const text =
      `${pages} pages contain copies of records in their free space since the last deletion was completed; the next one ` +
      "scrubs them. The records are stored, or belong to deletions that are still processing.";
    findings.push({ severe: false, text });
  }
  const open = connection.get<{ open: number }>(findOpen)?.open ?? 0;
  if (open > 0 && walBytes(connection.path) > 0) {
    const text = `The WAL may hold what is erased by deletions that are processing, until they are completed: ${open}.`;
    findings.push({ severe: false, text });
  }
  return { findings };
}
