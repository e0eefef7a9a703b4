// Opens a store on SQLite for its role, and takes back whatever it has opened if any part of that fails.

import { existsSync } from "node:fs";
import { StoreError } from "../store-error.ts";
import type { Store, StoreOptions } from "../store.ts";
import { openReader, openWriter } from "./connection.ts";
import { SharedDescriptor } from "./descriptor.ts";
import { migrate } from "./migrate.ts";
import { runHere, type Runner, startWriterThread } from "./runner.ts";
import { type ServingRight, takeServingRight } from "./serving-right.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { TurnSnapshot } from "./turn-snapshot.ts";
import { WriteQueue } from "./write-queue.ts";

/** Opens the file, made if need be. Throws StoreError. */
export async function openSqliteStore(path: string, options: StoreOptions): Promise<Store> {
  if (options.existing === true && !existsSync(path)) {
    throw new StoreError(
      `There is no store at ${path}; look at DATABASE_URL. \`sluice serve\` and \`sluice migrate\` make one.`,
    );
  }
  if (options.role === "command") return openForCommand(path, options);
  const right = takeServingRight(path);
  try {
    return await openForServing(path, { ...options, right });
  } catch (error) {
    right.release();
    throw error;
  }
}

/** Reads and writes on one connection, here: it starts fast, and a command waits for its writes anyway. */
function openForCommand(path: string, options: StoreOptions): SqliteStore {
  const descriptor = new SharedDescriptor(path);
  try {
    const connection = openWriter(path);
    migrate(connection);
    const queue = new WriteQueue(runHere(connection, options.onGroup));
    const { sealReceipt } = options;
    return new SqliteStore({ reader: connection, queue, descriptor, sealReceipt });
  } catch (error) {
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
