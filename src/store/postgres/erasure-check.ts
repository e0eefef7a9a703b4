// Looks into the files of the tables for what erasures have left, as somebody with the disk would: dead rows, bytes in unused
// places, and the ids of completed deletions. Needs the right to read the server's files; says so where it is missing.

import type { ErasureFinding, ErasureReport } from "../store.ts";
import type { Database } from "./database.ts";
import { listFiles, partBytes, readFilePart, type TableFile, writeFiles } from "./erasure-files.ts";
import { hasState } from "./failure.ts";
import { inspectHeapPage, pageBytes } from "./heap-page.ts";
import { keyColumns, type KeyRow, toKey } from "./record-key.ts";
import { inPeace, type Scope } from "./scope.ts";
import type { Transaction } from "./transaction.ts";

const readCompleted = `
  SELECT deletion_request_id, organization_id, resource_type, resource_id, started_at FROM deletion
  WHERE status = 'completed' AND deletion_request_id > $1
  ORDER BY deletion_request_id LIMIT $2`;

const findOutlived = `
  SELECT DISTINCT deletion_request_id AS subject
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
      AS erased (organization_id, resource_type, resource_id, deletion_request_id, started_at)
    JOIN change USING (organization_id, resource_type, resource_id)
  WHERE received_at < started_at
    --citus AND change.resource_id = ANY ($3::text[])
  `;

const findLatest = `
  SELECT DISTINCT resource_id AS id FROM (
    SELECT * FROM deletion WHERE status = 'completed' ORDER BY completed_at DESC LIMIT 1000
  ) AS latest
  WHERE length(resource_id) >= 6`;

const findRecorded = `SELECT resource_id AS id FROM record WHERE resource_id = ANY ($1::text[])`;
const findReferred = `SELECT to_id AS id FROM relation WHERE to_id = ANY ($1::text[])`;

/** What a rebalancing has moved and not cleared away yet. */
const findOrphans = `SELECT object_name AS name FROM pg_dist_cleanup LIMIT 100`;

const inNoHurry: Scope = { view: "all", patient: true };

const deletionsAtOnce = 5_000;
const outlivedMax = 100;
const insufficientPrivilege = "42501";

export async function checkErasure(database: Database): Promise<ErasureReport> {
  const findings: ErasureFinding[] = [];
  for (const subject of await database.transaction(inPeace, listOutlived)) {
    findings.push({ severe: true, text: `Something of what ${subject} erased is still stored.` });
  }
  if (database.distributed) findings.push(...(await database.transaction(inPeace, listOrphans)));
  try {
    await database.transaction(inNoHurry, writeFiles);
    findings.push(...(await database.transaction(inPeace, lookIntoFiles)));
  } catch (error) {
    if (!hasState(error, insufficientPrivilege)) throw error;
    findings.push(forbidden);
  }
  return { findings };
}

interface CompletedRow extends KeyRow {
  readonly deletion_request_id: string;
  readonly started_at: number;
}

/** Completed deletions of which something is left, page by page: on a cluster the two are on different nodes. */
async function listOutlived(transaction: Transaction): Promise<readonly string[]> {
  const outlived: string[] = [];
  for (let after = ""; outlived.length < outlivedMax;) {
    const rows = await transaction.all<CompletedRow>(readCompleted, after, deletionsAtOnce);
    const last = rows.at(-1);
    if (last === undefined) break;
    const found = await transaction.all<{ subject: string }>(
      findOutlived,
      ...keyColumns(rows.map(toKey)),
      rows.map(({ deletion_request_id }) => deletion_request_id),
      rows.map(({ started_at }) => started_at),
    );
    outlived.push(...found.map(({ subject }) => subject));
    after = last.deletion_request_id;
  }
  return outlived.slice(0, outlivedMax);
}

async function listOrphans(transaction: Transaction): Promise<readonly ErasureFinding[]> {
  const orphans = await transaction.all<{ name: string }>(findOrphans);
  return orphans.map(({ name }) => ({
    severe: true,
    text: `${name} was moved to another node, and the old copy is not cleared away yet.`,
  }));
}

const forbidden: ErasureFinding = {
  severe: false,
  text:
    "The pages were not looked into: that takes a role that may make checkpoints and read the server's files. Run this once " +
    "with a superuser in DATABASE_URL.",
};

async function lookIntoFiles(transaction: Transaction): Promise<readonly ErasureFinding[]> {
  const ids = [...(await listGone(transaction))].map((id) => Buffer.from(id));
  const findings: ErasureFinding[] = [];
  for (const file of await listFiles(transaction)) {
    findings.push(...(await lookInto(transaction, file, ids)));
  }
  return findings;
}

/** The ids of the latest completed deletions that stand for nothing any more. */
async function listGone(transaction: Transaction): Promise<ReadonlySet<string>> {
  const ids = (sql: string, ...values: readonly string[][]) =>
    transaction.all<{ id: string }>(sql, ...values).then((rows) => rows.map(({ id }) => id));
  const latest = await ids(findLatest);
  const used = [...(await ids(findRecorded, latest)), ...(await ids(findReferred, latest))];
  return new Set(latest).difference(new Set(used));
}

async function lookInto(
  transaction: Transaction,
  file: TableFile,
  ids: readonly Buffer[],
): Promise<readonly ErasureFinding[]> {
  let [dead, unused] = [0, 0];
  const found = new Set<string>();
  for (let at = 0; at < file.bytes; at += partBytes) {
    const part = await readFilePart(transaction, file, at);
    for (const id of ids) if (part.includes(id)) found.add(id.toString());
    for (let page = 0; file.heap && page + pageBytes <= part.length; page += pageBytes) {
      const figures = inspectHeapPage(part.subarray(page, page + pageBytes));
      dead += figures.deadRows;
      unused += figures.unusedBytes;
    }
  }
  return describe(file, { dead, unused, found });
}

function describe(
  { node, owner, name }: TableFile,
  { dead, unused, found }: { dead: number; unused: number; found: ReadonlySet<string> },
): readonly ErasureFinding[] {
  const where = node === undefined ? "" : ` on ${node.name}:${node.port}`;
  const place = (owner === name ? owner : `${name} (of ${owner})`) + where;
  const findings: ErasureFinding[] = [];
  if (found.size > 0) {
    const names = [...found].slice(0, 3).map((id) => `"${id}"`);
    const text = `${place}: holds the ids of ${found.size} completed deletions, such as ${names.join(", ")}.`;
    findings.push({ severe: true, text });
  }
  if (dead > 0) {
    const text = `${place}: ${dead} dead rows that no vacuum has taken away yet.`;
    findings.push({ severe: true, text });
  }
  if (unused > 0) {
    const text = `${place}: ${unused} bytes are left in unused places of pages, of rows that were erased or moved.`;
    findings.push({ severe: true, text });
  }
  return findings;
}
