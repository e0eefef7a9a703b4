// Opens a store on SQLite for its role. If any step fails, closes everything that it has opened.

import { refuseRestoring } from "../sql/restore/replay.ts";
import { refuseDifference } from "../shared/schema-parts.ts";
import { StoreError } from "../interface/store-error.ts";
import type { Store, StoreOptions } from "../interface/store.ts";
import { Checkpointer } from "./file/checkpointer.ts";
import { type Connection, hasTables, isMarkedOpen, openReader, openWriter } from "./connection.ts";
import { asUnavailable, asDamaged, asUnusable } from "./failure.ts";
import {
  SharedDescriptor,
  isFileMarkedOpen,
  refuseCopiedAlone,
  sizeOfStore,
} from "./file/store-file.ts";
import { UnscrubbedPages } from "./erase/unscrubbed-pages.ts";
import { FileTasks } from "./file/file-tasks.ts";
import { migrate, compareSchema } from "./migration/migrate.ts";
import { performBy } from "./commit/operation.ts";
import { LocalWriter } from "./commit/writer.ts";
import { startWriterThread, type WriterThread } from "./commit/writer-client.ts";
import { findUnmatchedLog, refuseUnrestored, removeRestoreLeftovers } from "./file/restore.ts";
import { type ServingRight, takeServingRight } from "./file/file-lock.ts";
import { makeSqliteStore } from "./sqlite-store.ts";
import { SharedRead } from "./shared-read.ts";
import { noStore } from "./open-source.ts";

/** Creates the file if necessary. Throws StoreError. */
export async function openSqliteStore(path: string, options: StoreOptions): Promise<Store> {
  const bytes = sizeOfStore(path);
  if ((bytes ?? 0) === 0) {
    refuseUnrestored(path);
    refuseUnmatchedLog(path);
  }
  // An empty file does not contain a store yet.
  if (options.existing === true && (bytes ?? 0) === 0) throw noStore(path);
  if ((bytes ?? 0) > 0) refuseCopiedAlone(path);
  if (options.role === "command") {
    removeRestoreLeftovers(path);
    return await openForCommand(path, options);
  }
  const right = takeServingRight(path);
  try {
    removeRestoreLeftovers(path, right);
    const open = options.role === "replay" ? openForCommand : openForServing;
    return await open(path, { ...options, right });
  } catch (error) {
    right.release();
    throw asDamaged(path, error) ?? error;
  }
}

/** SQLite would remove the log without a word when it makes a database beside it. */
function refuseUnmatchedLog(path: string): void {
  const log = findUnmatchedLog(path);
  if (log === undefined) return;
  throw new StoreError(
    `There is no store at ${path}, but ${log} contains changes of one. Put the file of the store back beside it, or run ` +
      "`sluice restore --replace` with a backup. To begin with an empty store instead, move that file to another folder.",
  );
}

/** In this thread, which starts fast. With the right to serve, deletions in progress are taken over. */
async function openForCommand(
  path: string,
  options: StoreOptions & { readonly right?: ServingRight },
): Promise<Store> {
  const descriptor = new SharedDescriptor(path);
  let connection: Connection | undefined;
  try {
    const { parts } = options;
    connection = openWriter(path, { parts, explain: (cause) => asUnusable(path, cause) });
    if (options.existing === true && !hasTables(connection)) throw noStore(path);
    migrate(connection);
    if (options.restoring !== true) connection.perform(refuseRestoring);
    const { sealReceipt, right, onGroup, writesBeside } = options;
    const writer =
      writesBeside === true
        ? await startWriterThread(path, { onGroup, checkpoints: true })
        : new LocalWriter(connection, onGroup);
    if (right !== undefined) await writer.submit({ name: "voidAllLeases", args: [] });
    const files = new FileTasks(path, descriptor);
    const unscrubbed = new UnscrubbedPages({
      path,
      perform: performBy(writer),
      files,
      kept: false,
    });
    const opened = { reader: connection, writer, descriptor, files, unscrubbed };
    return makeSqliteStore({ ...opened, right, sealReceipt });
  } catch (error) {
    connection?.close();
    descriptor.release();
    throw error;
  }
}

async function openForServing(
  path: string,
  options: StoreOptions & { readonly right: ServingRight },
): Promise<Store> {
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
    reader = openReader(path, { parts: options.parts, explain: asUnavailable });
    refuseDifference(`The store ${path}`, compareSchema(reader));
    if (options.restoring !== true) reader.perform(refuseRestoring);
    const unscrubbed = new UnscrubbedPages({ path, perform: performBy(writer), files, kept: true });
    await unscrubbed.resume();
    if (!isMarkedOpen(reader) || !isFileMarkedOpen(descriptor.get())) {
      await performBy(writer)("markServed");
      await files.ask("checkpoint");
    }
    checkpointer = makeCheckpointer(files, unscrubbed);
    snapshot = new SharedRead(reader);
    const { right, sealReceipt } = options;
    const served = { snapshot, checkpointer, right, sealReceipt };
    const parts = { reader, writer, descriptor, files, unscrubbed, ...served };
    await writer.submit({ name: "voidAllLeases", args: [] });
    return makeSqliteStore(parts);
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

function makeCheckpointer(files: FileTasks, unscrubbed: UnscrubbedPages): Checkpointer {
  return new Checkpointer({
    step: () => files.ask("checkpoint"),
    end: ({ walFrames }) => unscrubbed.restartWal(walFrames),
  });
}
