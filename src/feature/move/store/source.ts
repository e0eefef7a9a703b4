// The embedded store as the source of a move: it can be read, and until it is closed nobody else can serve it or write
// to it. Writes nothing itself.

import type { MovedRow, MovedTable, MovedValue, MoveSource } from "./move.ts";
import { movedTables, pageQuery, readMoveEnds } from "./tables.ts";
import { StoreError } from "../../../store/interface/store-error.ts";
import type { StoreOptions } from "../../../store/interface/store.ts";
import { type Connection, isBusy, openWriter, rollBack } from "../../../store/sqlite/connection.ts";
import { migrate } from "../../../store/sqlite/migration/migrate.ts";
import { takeServingRight } from "../../../store/sqlite/file/file-lock.ts";
import { refuseCopiedAlone } from "../../../store/sqlite/file/open-mark.ts";
import { sizeOfStore } from "../../../store/sqlite/file/store-file.ts";
import { sqliteText } from "../../../store/sqlite/statement-text.ts";

const movePageRows = 5_000;
const movePageBytes = 4 * 1_024 * 1_024;

/**
 * A change is stored under the number of its record on SQLite, and under the key of its record on PostgreSQL. The key
 * is spread over two tables, so SQLite has to see by which part of the key the first table is searched.
 */
const changeSource = {
  from: "record CROSS JOIN change USING (record_no)",
  after: `(organization_id, resource_type, resource_id) >= ($1, $2, $3) AND change_no > CASE
    WHEN (organization_id, resource_type, resource_id) = ($1, $2, $3) THEN $4 ELSE 0 END`,
};

/** Throws StoreError, also if the store is being served, or written to by a command. */
export function openSqliteMoveSource(
  path: string,
  { parts }: Pick<StoreOptions, "parts">,
): MoveSource {
  if (sizeOfStore(path) === undefined) {
    throw new StoreError(`There is no store at ${path} to move. Check DATABASE_URL.`);
  }
  refuseCopiedAlone(path);
  const right = takeServingRight(path);
  let connection: Connection | undefined;
  try {
    connection = openWriter(path, { parts });
    migrate(connection);
    keepWritersOut(connection);
  } catch (error) {
    connection?.close();
    right.release();
    throw error;
  }
  return makeSource(connection, () => right.release());
}

/** Holds the write lock without writing. So all reads see the same snapshot. */
function keepWritersOut(connection: Connection): void {
  try {
    connection.run("BEGIN IMMEDIATE");
  } catch (cause) {
    if (!isBusy(cause)) throw cause;
    throw new StoreError(
      `Another command writes to the store ${connection.path}. Run the move when it is done.`,
      { cause },
    );
  }
}

function makeSource(connection: Connection, release: () => void): MoveSource {
  return {
    tables: movedTables(connection.parts),
    readPage: async (table, after) => readPage(connection, table, after),
    readEnds: async () => connection.perform(readMoveEnds),
    [Symbol.asyncDispose]: async () => {
      rollBack(connection);
      connection.close();
      release();
    },
  };
}

/** Returns fewer rows if they are large. */
function readPage(
  connection: Connection,
  table: MovedTable,
  after: MovedRow | undefined,
): readonly MovedRow[] {
  const columns = Object.keys(table.columns);
  const rows: MovedRow[] = [];
  let bytes = 0;
  const sql = pageQuery(table, {
    isLater: after !== undefined,
    rowsMax: movePageRows,
    source: table.name === "change" ? changeSource : undefined,
  });
  const found = connection.each<Readonly<Record<string, MovedValue>>>(
    sqliteText(sql).text,
    ...(after ?? []),
  );
  for (const row of found) {
    const values = columns.map((name) => row[name] ?? null);
    rows.push(values);
    for (const value of values) if (typeof value === "string") bytes += value.length;
    if (bytes > movePageBytes) break;
  }
  return rows;
}
