// Opens a store on SQLite for its role. If any step fails, closes everything that it has opened.

import { refuseRestoring } from "../sql/restore/replay.ts";
import { refuseDifference } from "../shared/schema-parts.ts";
import { StoreError } from "../interface/store-error.ts";
import type { Store, StoreOptions } from "../interface/store.ts";
import { Checkpointer } from "./file/checkpointer.ts";
import { hasTables, isMarkedOpen, openReader, openWriter } from "./connection.ts";
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
import { startWriterThread } from "./commit/writer-client.ts";
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
  await using opened = new AsyncDisposableStack();
  const descriptor = opened.adopt(new SharedDescriptor(path), (one) => one.release());
  const { parts } = options;
  const explain = (cause: unknown) => asUnusable(path, cause);
  const connection = opened.use(openWriter(path, { parts, explain }));
  if (options.existing === true && !hasTables(connection)) throw noStore(path);
  migrate(connection);
  if (options.restoring !== true) connection.perform(refuseRestoring);
  const { sealReceipt, right, onGroup, writesBeside } = options;
  const writer =
    writesBeside === true
      ? await startWriterThread(path, { onGroup, checkpoints: true })
      : new LocalWriter(connection, onGroup);
  const perform = performBy(writer);
  if (right !== undefined) await perform("voidAllLeases");
  const files = new FileTasks(path, descriptor);
  const unscrubbed = new UnscrubbedPages({ path, perform, files, kept: false });
  opened.move();
  const all = { reader: connection, writer, descriptor, files, unscrubbed };
  return makeSqliteStore({ ...all, right, sealReceipt });
}

async function openForServing(
  path: string,
  options: StoreOptions & { readonly right: ServingRight },
): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  const descriptor = opened.adopt(new SharedDescriptor(path), (one) => one.release());
  const files = new FileTasks(path, descriptor);
  let snapshot: SharedRead | undefined;
  let checkpointer: Checkpointer | undefined;
  const writer = await startWriterThread(path, {
    onGroup: (figures) => {
      options.onGroup?.(figures);
      checkpointer?.written();
    },
    onAnswer: () => snapshot?.end(),
  });
  opened.defer(() =>
    writer.close(async () => {
      await checkpointer?.pause();
      await files.close();
    }),
  );
  const reader = opened.use(openReader(path, { parts: options.parts, explain: asUnavailable }));
  refuseDifference(`The store ${path}`, compareSchema(reader));
  if (options.restoring !== true) reader.perform(refuseRestoring);
  const perform = performBy(writer);
  const unscrubbed = new UnscrubbedPages({ path, perform, files, kept: true });
  await unscrubbed.resume();
  if (!isMarkedOpen(reader) || !isFileMarkedOpen(descriptor.get())) {
    await perform("markServed");
    await files.ask("checkpoint");
  }
  checkpointer = makeCheckpointer(files, unscrubbed);
  snapshot = new SharedRead(reader);
  await perform("voidAllLeases");
  opened.move();
  const { right, sealReceipt } = options;
  const all = { reader, writer, descriptor, files, unscrubbed };
  return makeSqliteStore({ ...all, snapshot, checkpointer, right, sealReceipt });
}

function makeCheckpointer(files: FileTasks, unscrubbed: UnscrubbedPages): Checkpointer {
  return new Checkpointer({
    step: () => files.ask("checkpoint"),
    end: ({ walFrames }) => unscrubbed.restartWal(walFrames),
  });
}
