// Opens a store on SQLite for its role, and takes back whatever it has opened if any part of that fails.

import { statOf } from "../../files/present.ts";
import { readRestoreState } from "../sql/replay.ts";
import { StoreError } from "../store-error.ts";
import type { Store, StoreOptions } from "../store.ts";
import { describeRestoring } from "../row/replay-row.ts";
import { Checkpointer } from "./file/checkpointer.ts";
import {
  type Connection,
  describeFailure,
  hasTables,
  openReader,
  openWriter,
} from "./connection.ts";
import { SharedDescriptor } from "./erase/descriptor.ts";
import { FileTasks } from "./file/file-tasks.ts";
import { migrate } from "./migration/migrate.ts";
import { LocalWriter, type Writer } from "./commit/writer.ts";
import { startWriterThread, type WriterThread } from "./commit/writer-client.ts";
import { removeRestoreLeftovers } from "./file/restore.ts";
import { type ServingRight, takeServingRight } from "./file/serving-right.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { SharedRead } from "./shared-read.ts";

/** Opens the file, which is created if need be. Throws StoreError. */
export async function openSqliteStore(path: string, options: StoreOptions): Promise<Store> {
  const bytes = sizeOfFile(path);
  // An empty file holds no store yet.
  if (options.existing === true && (bytes ?? 0) === 0) throw noStore(path);
  if (options.role === "command") {
    removeRestoreLeftovers(path);
    return openForCommand(path, options);
  }
  const right = takeServingRight(path);
  try {
    removeRestoreLeftovers(path, right);
    const open = options.role === "replay" ? openForReplay : openForServing;
    return await open(path, { ...options, right });
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
function openForCommand(
  path: string,
  options: StoreOptions & { readonly right?: ServingRight },
): SqliteStore {
  const descriptor = new SharedDescriptor(path);
  let connection: Connection | undefined;
  try {
    connection = openWriter(path);
    if (options.existing === true && !hasTables(connection)) throw noStore(path);
    migrate(connection);
    refuseRestoring(connection, options);
    const writer = new LocalWriter(connection, options.onGroup);
    const { sealReceipt, right } = options;
    const files = new FileTasks(path, descriptor);
    const parts = { reader: connection, writer, descriptor, files, sealReceipt };
    return new SqliteStore(right === undefined ? parts : { ...parts, right });
  } catch (error) {
    connection?.close();
    descriptor.release();
    throw error;
  }
}

/** As a command does; but nobody else serves the store, so deletions that were under way are taken over. */
async function openForReplay(
  path: string,
  options: StoreOptions & { readonly right: ServingRight },
): Promise<SqliteStore> {
  const store = openForCommand(path, options);
  try {
    await store.takeOver();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** In a store that is being restored, what was erased since the backup may be readable. */
function refuseRestoring(connection: Connection, { restoring = false }: StoreOptions): void {
  const state = restoring ? undefined : connection.perform(readRestoreState);
  if (state !== undefined) throw new StoreError(describeRestoring(state));
}

async function openForServing(
  path: string,
  options: StoreOptions & { readonly right: ServingRight },
): Promise<SqliteStore> {
  const descriptor = new SharedDescriptor(path);
  const files = new FileTasks(path, descriptor);
  let writer: WriterThread | undefined;
  let reader: Connection | undefined;
  let snapshot: SharedRead | undefined;
  let checkpointer: Checkpointer | undefined;
  try {
    writer = await startWriterThread(path, {
      onGroup: (figures) => {
        options.onGroup?.(figures);
        checkpointer?.written();
      },
      onAnswer: () => snapshot?.end(),
    });
    reader = openReader(path);
    refuseRestoring(reader, options);
    checkpointer = makeCheckpointer(writer, files);
    snapshot = new SharedRead(reader);
    const { right, sealReceipt } = options;
    const parts = { reader, writer, snapshot, descriptor, files, checkpointer, right, sealReceipt };
    const store = new SqliteStore(parts);
    await store.takeOver();
    return store;
  } catch (error) {
    reader?.close();
    await writer?.close(async () => {
      await checkpointer?.pause();
      await files.close();
    });
    descriptor.release();
    throw error;
  }
}

/** A step that fails is made again; what it would have copied is as durable in the WAL. */
function makeCheckpointer(writer: Writer, files: FileTasks): Checkpointer {
  return new Checkpointer({
    step: () => files.checkpoint(),
    unpin: () => files.unpin(),
    end: async () => void (await writer.submit({ name: "endCheckpoint", args: undefined })),
    onError: () => undefined,
  });
}
