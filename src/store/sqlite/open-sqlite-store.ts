// Opens a store on SQLite for its role, and takes back whatever it has opened if any part of that fails.

import { statOf } from "../../files/present.ts";
import { StoreError } from "../store-error.ts";
import type { Store, StoreOptions } from "../store.ts";
import {
  type Connection,
  describeFailure,
  hasTables,
  openReader,
  openWriter,
} from "./connection.ts";
import { SharedDescriptor } from "./descriptor.ts";
import { migrate } from "./migrate.ts";
import { runHere, type Runner, startWriterThread } from "./runner.ts";
import { type ServingRight, takeServingRight } from "./serving-right.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { TurnSnapshot } from "./turn-snapshot.ts";
import { WriteQueue } from "./write-queue.ts";

/** Opens the file, which is created if need be. Throws StoreError. */
export async function openSqliteStore(path: string, options: StoreOptions): Promise<Store> {
  const bytes = sizeOfFile(path);
  // An empty file holds no store yet.
  if (options.existing === true && (bytes ?? 0) === 0) throw noStore(path);
  if (options.role === "command") return openForCommand(path, options);
  const right = takeServingRight(path);
  try {
    return await openForServing(path, { ...options, right });
  } catch (error) {
    right.release();
    throw error;
  }
}

function noStore(path: string): StoreError {
  return new StoreError(
    `There is no store at ${path}. Check DATABASE_URL, DATA_DIR and the current folder; \`sluice serve\` and ` +
      "`sluice migrate` create one.",
  );
}

/** Undefined where there is none. Throws StoreError if it is no regular file, or if this user may not see it. */
function sizeOfFile(path: string): number | undefined {
  try {
    const stats = statOf(path, "The store");
    if (stats === undefined || stats.isFile()) return stats?.size;
  } catch (cause) {
    throw describeFailure(path, cause);
  }
  throw new StoreError(
    `The store ${path} can't be opened: it is not a regular file. DATABASE_URL names a file, such as ` +
      "sqlite:./data/sluice.db.",
  );
}

/** Reads and writes on one connection, here: it starts fast, and a command waits for its writes anyway. */
function openForCommand(path: string, options: StoreOptions): SqliteStore {
  const descriptor = new SharedDescriptor(path);
  let connection: Connection | undefined;
  try {
    connection = openWriter(path);
    if (options.existing === true && !hasTables(connection)) throw noStore(path);
    migrate(connection);
    const queue = new WriteQueue(runHere(connection, options.onGroup));
    const { sealReceipt } = options;
    return new SqliteStore({ reader: connection, queue, descriptor, sealReceipt });
  } catch (error) {
    connection?.close();
    descriptor.release();
    throw error;
  }
}

async function openForServing(
  path: string,
  options: StoreOptions & { readonly right: ServingRight },
): Promise<SqliteStore> {
  const descriptor = new SharedDescriptor(path);
  let runner: Runner | undefined;
  try {
    runner = await startWriterThread(path, options.onGroup);
    const reader = openReader(path);
    const snapshot = new TurnSnapshot(reader);
    const queue = new WriteQueue(runner, () => snapshot.end());
    const { right, sealReceipt } = options;
    const store = new SqliteStore({ reader, queue, snapshot, descriptor, right, sealReceipt });
    await store.takeOver();
    return store;
  } catch (error) {
    await runner?.close();
    descriptor.release();
    throw error;
  }
}
