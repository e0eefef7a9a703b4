// The store on SQLite: defines which of its methods read and which ask the writer. Contains no SQL, and decides
// nothing.

import { statSync } from "node:fs";
import type { SettledArrival, Store } from "../interface/store.ts";
import type { Act } from "../interface/act.ts";
import type { SealedReceipt } from "../interface/deletion.ts";
import { briefRelationsMax } from "../../domain/deletion/dry-run.ts";
import { makeClaimer, makePartyIndexing } from "../shared/claimer.ts";
import { type PackedOutcome, unpackOutcome } from "../group/packed-outcome.ts";
import { sealReceipts } from "../shared/completion.ts";
import { findDeletions } from "../sql/deletion/deletion.ts";
import { schemaVersion } from "../sql/migrations.ts";
import type { Purge } from "../sql/method.ts";
import { bindMethods } from "../sql/methods.ts";
import { findLatestArrival } from "../sql/record/record.ts";
import { readSealingHead } from "../sql/trail/receipt.ts";
import { performBy, type PerformOperation } from "./commit/operation.ts";
import { findRecord } from "./commit/record.ts";
import type { Connection } from "./connection.ts";
import { walBytes } from "./file/checkpoint-freeze.ts";
import { DeletionCompleter } from "./erase/complete-deletions.ts";
import { LargePlanner } from "./erase/large-planner.ts";
import { sqliteTraits } from "./traits.ts";
import { type Parts, scrubbing, upkeepMethods } from "./upkeep.ts";

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
  const found = reader.perform(findDeletions, ids);
  const byId = new Map(found.map((deletion) => [deletion.deletionRequestId, deletion]));
  const deletions = ids.flatMap((id) => byId.get(id) ?? []);
  const head = reader.perform(readSealingHead);
  return sealReceipts(deletions, { seal, head, engine: sqliteTraits.verification, completedAt });
}
