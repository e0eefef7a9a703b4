// The store on SQLite: opens it for its role, and defines which of its methods read and which ask the writer. Contains
// no SQL, and decides nothing.

import { statSync } from "node:fs";
import { briefRelationsMax } from "../../domain/deletion/dry-run.ts";
import { type PackedOutcome, unpackOutcome } from "../group/packed-outcome.ts";
import type { Act } from "../interface/act.ts";
import type { SealedReceipt } from "../interface/deletion.ts";
import type { SettledArrival, Store, StoreOptions } from "../interface/store.ts";
import { makeClaimer, makePartyIndexing } from "../shared/claimer.ts";
import { sealReceipts } from "../shared/completion.ts";
import { refuseDifference } from "../shared/schema-parts.ts";
import { findDeletions } from "../sql/deletion/deletion.ts";
import type { Purge } from "../sql/method.ts";
import { bindMethods } from "../sql/methods.ts";
import { schemaVersion } from "../sql/migrations.ts";
import { findLatestArrival } from "../sql/record/record.ts";
import { refuseRestoring } from "../sql/restore/replay.ts";
import { readSealingHead } from "../sql/trail/receipt.ts";
import { performBy, type PerformOperation } from "./commit/operation.ts";
import { findRecord } from "./commit/record.ts";
import { startWriterThread } from "./commit/writer-client.ts";
import { LocalWriter } from "./commit/writer.ts";
import { type Connection, hasTables, isMarkedOpen, openReader, openWriter } from "./connection.ts";
import { DeletionCompleter } from "./erase/complete-deletions.ts";
import { LargePlanner } from "./erase/large-planner.ts";
import { UnscrubbedPages } from "./erase/unscrubbed-pages.ts";
import { asDamaged, asUnavailable, asUnusable } from "./failure.ts";
import { walBytes } from "./file/checkpoint-freeze.ts";
import { Checkpointer } from "./file/checkpointer.ts";
import { type ServingRight, takeServingRight } from "./file/file-lock.ts";
import { FileTasks } from "./file/file-tasks.ts";
import { removeRestoreLeftovers } from "./file/restore.ts";
import { isFileMarkedOpen, SharedDescriptor } from "./file/store-file.ts";
import { compareSchema, migrate } from "./migration/migrate.ts";
import { noStore, requireFile } from "./open-source.ts";
import { SharedRead } from "./shared-read.ts";
import { sqliteTraits } from "./traits.ts";
import { type Parts, scrubbing, upkeepMethods } from "./upkeep.ts";

/** Creates the file if necessary. Throws StoreError. */
export async function openSqliteStore(path: string, options: StoreOptions): Promise<Store> {
  requireFile(path, { existing: options.existing === true });
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

export function makeSqliteStore(parts: Parts): Store {
  const { reader, writer, files } = parts;
  const { store, overview, ...groups } = bindMethods((name, { kind, work, mayHaveResidue }) => {
    if (kind !== "change") return async (...args) => reader.perform(work, ...args);
    const submit = (...args: readonly unknown[]) => writer.submit({ name, args });
    if (mayHaveResidue === undefined) return submit;
    return scrubbing(submit as Purge, {
      mayHaveResidue: () => reader.perform(mayHaveResidue),
      scrub: (act) => deletions.scrub(act),
    });
  }, reader.parts);
  const perform = performBy(writer);
  const deletions = deletionMethods(parts, { perform, index: groups.parties.index });
  return {
    engine: "sqlite",
    traits: sqliteTraits,
    schemaVersion,
    ...store,
    ...recordMethods(parts),
    requestDeletion: (...args) =>
      writer.submit({ name: "requestDeletion", args }) as Promise<string | undefined>,
    ...deletions.methods,
    ...upkeepMethods(parts, { perform, scrubSome: deletions.scrubSome }),
    deletionFigures: (now) => files.ask("deletionFigures", now),
    ...groups,
    plans: {
      ...groups.plans,
      dryRun: (query) =>
        query.relationsMax <= briefRelationsMax
          ? groups.plans.dryRun(query)
          : files.ask("dryRun", query),
      previewErased: (query) => files.ask("previewErased", query),
    },
    overview: { ...overview, sizeBytes: async () => sizeOfFiles(reader.path) },
  };
}

function sizeOfFiles(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) + walBytes(path);
}

function recordMethods({ reader, writer, snapshot }: Parts) {
  return {
    shareWriter: () => {
      if (writer.connect === undefined) throw new TypeError("a command has no writer to share");
      const port = writer.connect();
      return { data: { engine: "sqlite", port }, transfer: [port], youngMebibytesMax: 12 };
    },
    writtenElsewhere: () => snapshot?.end(),
    refuseWrites: () => writer.refuseWrites?.(),
    // This is not `async`, so that nothing keeps a reference to the request while it is written.
    writeRecords: (write) =>
      writer.submit(write).then((packed) => unpackOutcome(packed as PackedOutcome)),
    findRecord: async (key) => {
      snapshot?.share();
      return findRecord(reader, key);
    },
    // One writer assigns the numbers, and they become visible in order.
    latestArrival: async () => reader.perform(findLatestArrival),
    settledArrival: async () => settledOf(reader),
  } satisfies Partial<Store>;
}

function settledOf(reader: Connection): SettledArrival {
  const latest = reader.perform(findLatestArrival);
  return { settled: latest, latest };
}

interface Performing {
  readonly perform: PerformOperation;
  readonly index: Store["parties"]["index"];
}

function deletionMethods(parts: Parts, { perform, index }: Performing) {
  const { reader, snapshot, descriptor, files, checkpointer, unscrubbed } = parts;
  const settledArrival = async () => settledOf(reader);
  const indexParties = makePartyIndexing({ settledArrival, index });
  const planner = new LargePlanner({ perform, indexParties, collector: files });
  const completer = new DeletionCompleter({
    perform,
    indexParties,
    planner,
    scrubber: files,
    unscrubbed,
    checkpoints: checkpointer,
    descriptor: () => descriptor.get(),
    seal: (ids, act) => sealAll(parts, ids, act),
  });
  const avoiding = <Result>(work: () => Promise<Result>) => snapshot?.avoid(work) ?? work();
  const methods = {
    claimDeletions: makeClaimer({
      claimSome: (claim, claiming) => perform("claimDeletions", claim, claiming),
      beginLarge: (deletion, claim) => planner.begin(deletion, claim),
      indexParties,
    }),
    eraseStep: (ids, recordsMax, act) => perform("eraseStep", ids, recordsMax, act),
    completeDeletions: (ids, act) => avoiding(() => completer.complete(ids, act)),
    findExpired: (query) => files.ask("findExpired", query),
  } satisfies Partial<Store>;
  return {
    methods,
    scrub: (act: Act) => avoiding(() => completer.scrub(act)),
    scrubSome: () => avoiding(() => completer.scrubSome()),
  };
}

function sealAll(
  { reader, sealReceipt: seal }: Parts,
  ids: readonly string[],
  { now: completedAt }: Act,
): Promise<readonly (SealedReceipt | undefined)[]> {
  const stored = reader.perform(findDeletions, ids);
  const byId = new Map(stored.map((deletion) => [deletion.deletionRequestId, deletion]));
  const deletions = ids.flatMap((id) => byId.get(id) ?? []);
  const head = reader.perform(readSealingHead);
  return sealReceipts(deletions, { seal, head, engine: sqliteTraits.verification, completedAt });
}
