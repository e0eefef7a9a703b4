// Opens a store on SQLite for its role, and takes back whatever it has opened if any part of that fails.

import { existsSync } from "node:fs";
import { StoreError } from "../store-error.ts";
import type { Store, StoreOptions } from "../store.ts";
import { describeRestoring } from "../replay-row.ts";
import { type Connection, openReader, openWriter } from "./connection.ts";
import { SharedDescriptor } from "./descriptor.ts";
import { migrate } from "./migrate.ts";
import { readRestoreState } from "./reopening.ts";
import { removeRestoreLeftovers } from "./restore.ts";
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
  if (options.role === "command") {
    removeRestoreLeftovers(path);
    return openForCommand(path, options);
  }
  const right = takeServingRight(path);
  try {
    removeRestoreLeftovers(path, right);
    if (options.role === "replay") {
      const store = openForCommand(path, { ...options, right });
      await store.takeOver();
      return store;
    }
    return await openForServing(path, { ...options, right });
  } catch (error) {
    right.release();
    throw error;
  }
}

/** Reads and writes on one connection, here: it starts fast, and a command waits for its writes anyway. */
function openForCommand(
  path: string,
  options: StoreOptions & { readonly right?: ServingRight },
): SqliteStore {
  const descriptor = new SharedDescriptor(path);
  let connection: Connection | undefined;
  try {
    connection = openWriter(path);
    migrate(connection);
    refuseRestoring(connection, options);
    const queue = new WriteQueue(runHere(connection, options.onGroup));
    const { sealReceipt, right } = options;
    const parts = { reader: connection, queue, descriptor, sealReceipt };
    return new SqliteStore(right === undefined ? parts : { ...parts, right });
  } catch (error) {
    connection?.close();
    descriptor.release();
    throw error;
  }
}

/** In a store that is being restored, what was erased since the backup may be readable. */
function refuseRestoring(connection: Connection, { restoring = false }: StoreOptions): void {
  const state = restoring ? undefined : readRestoreState(connection);
  if (state !== undefined) throw new StoreError(describeRestoring(state));
}

async function openForServing(
  path: string,
  options: StoreOptions & { readonly right: ServingRight },
): Promise<SqliteStore> {
  const descriptor = new SharedDescriptor(path);
  let runner: Runner | undefined;
  let reader: Connection | undefined;
  try {
    runner = await startWriterThread(path, options.onGroup);
    reader = openReader(path);
    refuseRestoring(reader, options);
    const snapshot = new TurnSnapshot(reader);
    const queue = new WriteQueue(runner, () => snapshot.end());
    const { right, sealReceipt } = options;
    const store = new SqliteStore({ reader, queue, snapshot, descriptor, right, sealReceipt });
    await store.takeOver();
    return store;
  } catch (error) {
    reader?.close();
    await runner?.close();
    descriptor.release();
    throw error;
  }
}
