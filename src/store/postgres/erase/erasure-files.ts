// Lists the files of the tables that erasures touch, on all nodes, and reads parts of them: with the server's own
// functions, and from a cluster's workers through the coordinator. Only reads, and only with the permissions that the
// servers grant.

import { StoreError } from "../../interface/store-error.ts";
import { pageBytes } from "./heap-page.ts";
import type { ColumnLayout } from "./page-rows.ts";
import type { Transaction } from "../transaction.ts";
import { erasedTables } from "./vacuum.ts";

/** A worker of a cluster. */
export interface Node {
  readonly name: string;
  readonly port: number;
}

export interface TableFile {
  readonly node?: Node;
  readonly owner: string;
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** `long values`: the parts of values that are too long for a row (TOAST). */
  readonly kind: "table" | "long values" | "index";
  readonly columns: readonly ColumnLayout[];
}

export const partBytes = 512 * pageBytes;
const segmentBytes = 1_024 * 1_024 * 1_024;

/**
 * Lists the tables and, on a cluster, their shards; their long values; and the indexes of both. An index of block
 * ranges is left out, because it contains only the numbers of changes.
 */
const filesQuery = `
  WITH heaps AS (
    SELECT oid, reltoastrelid, relname AS owner FROM pg_class
    WHERE relname ~ '^(${erasedTables.join("|")})(_[0-9]+)?$' AND relkind = 'r'
      AND relnamespace = quote_ident(current_schema())::regnamespace
  ), parts AS (
    SELECT oid, owner FROM heaps
    UNION ALL SELECT reltoastrelid, owner FROM heaps WHERE reltoastrelid <> 0
  )
  SELECT parts.owner, pg_class.relname AS name, pg_relation_filepath(pg_class.oid) AS path,
    pg_relation_size(pg_class.oid) AS bytes,
    CASE relkind WHEN 'r' THEN 'table' WHEN 't' THEN 'long values' ELSE 'index' END AS kind,
    (SELECT json_agg(json_build_object(
        'name', attname, 'length', attlen,
        'align', CASE attalign WHEN 'd' THEN 8 WHEN 'i' THEN 4 WHEN 's' THEN 2 ELSE 1 END)
        ORDER BY attnum)
      FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0) AS columns
  FROM parts JOIN pg_class ON pg_class.oid = parts.oid
    OR pg_class.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = parts.oid)
      AND relam <> (SELECT oid FROM pg_am WHERE amname = 'brin')
  ORDER BY parts.owner, pg_class.relname`;

/** Without this setting, Citus hides the shards on the coordinator. */
const showShards = `SELECT set_config('citus.override_table_visibility', 'off', true)`;

const findNodes = `
  SELECT nodename AS name, nodeport AS port FROM pg_dist_node
  WHERE groupid <> 0 AND noderole = 'primary' AND isactive ORDER BY nodeid`;

const runOnNode = `
  SELECT success, result FROM master_run_on_worker(ARRAY[$1::text], ARRAY[$2::int], ARRAY[$3::text], false)`;

const readPart = `SELECT pg_read_binary_file($1, $2, $3, true) AS bytes`;

const checkpoint = `CHECKPOINT`;

/** Brings the files up to date with the tables. */
export async function writeFiles(transaction: Transaction): Promise<void> {
  await transaction.exec(checkpoint);
  for (const node of await readNodes(transaction)) await ask(transaction, node, checkpoint);
}

export async function listFiles(transaction: Transaction): Promise<readonly TableFile[]> {
  if (transaction.distributed) await transaction.run(showShards);
  const files = await transaction.all<TableFile>(filesQuery);
  for (const node of await readNodes(transaction)) {
    const listed = await ask(
      transaction,
      node,
      `SELECT coalesce(json_agg(file), '[]') FROM (${filesQuery}) AS file`,
    );
    files.push(...(JSON.parse(listed) as TableFile[]).map((file) => ({ ...file, node })));
  }
  return files;
}

export async function readFilePart(
  transaction: Transaction,
  { node, path }: TableFile,
  at: number,
): Promise<Buffer> {
  const segment = Math.floor(at / segmentBytes);
  const name = segment === 0 ? path : `${path}.${segment}`;
  const from = at % segmentBytes;
  if (node === undefined) {
    const row = await transaction.get<{ bytes: Buffer | null }>(readPart, name, from, partBytes);
    return row?.bytes ?? Buffer.alloc(0);
  }
  // The path was reported by the node itself.
  const sql = `SELECT encode(pg_read_binary_file('${name}', ${from}, ${partBytes}, true), 'base64')`;
  return Buffer.from(await ask(transaction, node, sql), "base64");
}

async function readNodes(transaction: Transaction): Promise<readonly Node[]> {
  return transaction.distributed ? transaction.all<Node>(findNodes) : [];
}

async function ask(transaction: Transaction, { name, port }: Node, sql: string): Promise<string> {
  const answer = await transaction.get<{ success: boolean; result: string }>(
    runOnNode,
    name,
    port,
    sql,
  );
  if (answer?.success === true) return answer.result;
  throw new StoreError(`The worker ${name}:${port} refuses: ${answer?.result ?? "no answer"}.`);
}
