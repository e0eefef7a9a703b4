// Looks into the files of the tables for what erasures have left, as somebody with the disk would: dead rows, bytes in unused
// places, and the ids of completed deletions. Needs the right to read the server's files; says so where it is missing.

import type { ErasureFinding, ErasureReport } from "../store.ts";
import { hasState } from "./failure.ts";
import { inspectHeapPage, pageBytes } from "./heap-page.ts";
import type { Database } from "./database.ts";
import { inPeace } from "./scope.ts";
import type { Transaction } from "./transaction.ts";
import { erasedTables } from "./vacuum.ts";

const findOutlived = `
  SELECT deletion_request_id AS subject FROM deletion
  WHERE status = 'completed' AND EXISTS (
    SELECT 1 FROM change
    WHERE change.organization_id = deletion.organization_id
      AND change.resource_type = deletion.resource_type
      AND change.resource_id = deletion.resource_id
      AND received_at < started_at)
  LIMIT 100`;

const findIds = `
  SELECT DISTINCT resource_id FROM (
    SELECT * FROM deletion WHERE status = 'completed' ORDER BY completed_at DESC LIMIT 1000
  ) AS latest
  WHERE NOT EXISTS (SELECT 1 FROM record WHERE record.resource_id = latest.resource_id)
    AND NOT EXISTS (SELECT 1 FROM relation WHERE relation.to_id = latest.resource_id)
    AND length(resource_id) >= 6`;

/** The table, its long values, and the indexes of both. */
const findFiles = `
  WITH heaps AS (
    SELECT oid, relname AS owner FROM pg_class
    WHERE relname = ANY ($1::text[]) AND relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT reltoastrelid, relname FROM pg_class
    WHERE relname = ANY ($1::text[]) AND relnamespace = current_schema()::regnamespace
      AND reltoastrelid <> 0
  )
  SELECT heaps.owner, pg_class.relname AS name, pg_relation_filepath(pg_class.oid) AS path,
    pg_relation_size(pg_class.oid) AS bytes, relkind IN ('r', 't') AS heap
  FROM heaps JOIN pg_class ON pg_class.oid = heaps.oid
    OR pg_class.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = heaps.oid)
  ORDER BY heaps.owner, pg_class.relname`;

const readPart = `SELECT pg_read_binary_file($1, $2, $3, true) AS bytes`;

const checkpoint = `CHECKPOINT`;

const partBytes = 512 * pageBytes;
const segmentBytes = 1_024 * 1_024 * 1_024;
const insufficientPrivilege = "42501";

interface FileRow {
  readonly owner: string;
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly heap: boolean;
}

export async function checkErasure(database: Database): Promise<ErasureReport> {
  const findings: ErasureFinding[] = [];
  const outlived = await database.transaction(inPeace, (tx) =>
    tx.all<{ subject: string }>(findOutlived),
  );
  for (const { subject } of outlived) {
    findings.push({ severe: true, text: `Something of what ${subject} erased is still stored.` });
  }
  if (database.distributed) return { findings: [...findings, onCluster] };
  try {
    await database.outsideTransaction(checkpoint);
    findings.push(...(await database.transaction(inPeace, lookIntoFiles)));
  } catch (error) {
    if (!hasState(error, insufficientPrivilege)) throw error;
    findings.push(forbidden);
  }
  return { findings };
}

const onCluster: ErasureFinding = {
  severe: false,
  text: "The pages of a cluster were not looked into: run this against each node's own tables.",
};

const forbidden: ErasureFinding = {
  severe: false,
  text:
    "The pages were not looked into: that takes a role that may make checkpoints and read the server's files. Run this once " +
    "with a superuser in DATABASE_URL.",
};

async function lookIntoFiles(transaction: Transaction): Promise<readonly ErasureFinding[]> {
  const ids = (await transaction.all<{ resource_id: string }>(findIds)).map(({ resource_id }) =>
    Buffer.from(resource_id),
  );
  const files = await transaction.all<FileRow>(findFiles, erasedTables);
  const findings: ErasureFinding[] = [];
  for (const file of files) findings.push(...(await lookInto(transaction, file, ids)));
  return findings;
}

async function lookInto(
  transaction: Transaction,
  file: FileRow,
  ids: readonly Buffer[],
): Promise<readonly ErasureFinding[]> {
  let [dead, unused] = [0, 0];
  const found = new Set<string>();
  for (let at = 0; at < file.bytes; at += partBytes) {
    const part = await read(transaction, file, at);
    for (const id of ids) if (part.includes(id)) found.add(id.toString());
    for (let page = 0; file.heap && page + pageBytes <= part.length; page += pageBytes) {
      const figures = inspectHeapPage(part.subarray(page, page + pageBytes));
      dead += figures.deadRows;
      unused += figures.unusedBytes;
    }
  }
  return describe(file, { dead, unused, found });
}

async function read(transaction: Transaction, { path }: FileRow, at: number): Promise<Buffer> {
  const segment = Math.floor(at / segmentBytes);
  const name = segment === 0 ? path : `${path}.${segment}`;
  const row = await transaction.get<{ bytes: Buffer | null }>(
    readPart,
    name,
    at % segmentBytes,
    partBytes,
  );
  return row?.bytes ?? Buffer.alloc(0);
}

function describe(
  { owner, name }: FileRow,
  { dead, unused, found }: { dead: number; unused: number; found: ReadonlySet<string> },
): readonly ErasureFinding[] {
  const place = owner === name ? owner : `${name} (of ${owner})`;
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
