// The commands about the store as a whole: `sluice migrate`, `sluice check`, `sluice clock confirm` and
// `sluice subject index`.

import type { App } from "../../actions/app.ts";
import { checkErasure, checkStore } from "../../actions/check/check-store.ts";
import { rebuildIndexes } from "../../actions/upkeep/build-indexes.ts";
import { confirmClock, describeClockJump } from "../../actions/upkeep/clock.ts";
import { describeStore } from "../../actions/upkeep/store-upkeep.ts";
import { readConfig } from "../../settings/config.ts";
import { findUnknownFiles, isOfStore } from "../../data-folder/data-folder.ts";
import { describeMoved, movedEnding } from "../../data-folder/moved-store.ts";
import { type Context, defineStoreCommand, flag } from "../command.ts";
import { version } from "../../process/version.ts";
import { runUntilStopped } from "../stop-signal.ts";
import { sluice } from "../../basics/program-name.ts";

export const migrate = defineStoreCommand({
  name: "migrate",
  summary: "Create the store, or migrate its schema to this version.",
  details:
    "Every other command, including `serve`, also migrates an existing store. On PostgreSQL, if the service uses a role that " +
    "does not own the tables, run this first with the role that does.",
  examples: ["sluice migrate"],
  // Any command that opens the store migrates it.
  rights: [],
  create: true,
  run: async (app) => {
    const { engine, schemaVersion } = await describeStore(app);
    return {
      json: { engine, schema_version: schemaVersion, sluice_version: version },
      text: `The ${engine} store has schema version ${schemaVersion}, the one that Sluice ${version} uses.`,
    };
  },
});

export const check = defineStoreCommand({
  name: "check",
  summary:
    "Check the store: its integrity, the audit trail, receipts, deletions and holds against each other and against the ledger.",
  details:
    "Also lists files in the data folder that do not belong to Sluice. With --erasure, it searches the store for remains of " +
    "what completed deletions erased; on SQLite also its files. Exits with 3 if anything is found. May run while the store is in service. SECURITY.md describes what it can't find.",
  examples: ["sluice check", "sluice check --erasure"],
  rights: ["store.check"],
  options: { erasure: flag("Also search for remains of erased records.") },
  run: async (app, { erasure }, context) => {
    const { findings: storeFindings, notes: storeNotes } = await checkStore(app);
    const jump = await describeClockJump(app);
    const findings = [
      ...storeFindings,
      ...describeUnknownFiles(context),
      ...(jump === undefined ? [] : [`${jump} If it is right, run: ${sluice} clock confirm`]),
    ];
    const remains = erasure ? await findRemains(app) : undefined;
    const notes = [...storeNotes, ...(remains?.notes ?? [])];
    const all = [...findings, ...(remains?.findings ?? [])];
    const verdict =
      all.length === 0
        ? "Nothing was found; the store is consistent."
        : [`${all.length} found:`, ...all.map((finding) => `  ${finding}`)].join("\n");
    return {
      json: {
        ok: all.length === 0,
        findings,
        ...(storeNotes.length === 0 ? {} : { notes: storeNotes }),
        ...(remains === undefined ? {} : { erasure: remains }),
      },
      text: [verdict, ...notes].join("\n"),
      hasFinding: all.length > 0,
    };
  },
});

const filesShown = 20;

function describeUnknownFiles({ environment }: Context): readonly string[] {
  const all = findUnknownFiles(readConfig(environment));
  const stores = all.filter((path) => all.includes(`${path}${movedEnding}`));
  const moved = stores.map(
    (store) =>
      `${store} ${describeMoved(store)}, and no deletion reaches it any more. Remove it, the files beside it and its backups.`,
  );
  const files = all.filter((path) => !stores.some((store) => isOfStore(path, store)));
  const shown = files
    .slice(0, filesShown)
    .map(
      (path) =>
        `${path} does not belong to Sluice; if it contains data, no deletion reaches it. Move it elsewhere or remove it.`,
    );
  const more = files.length - shown.length;
  return more === 0
    ? [...moved, ...shown]
    : [...moved, ...shown, `${more} more files there do not belong to Sluice.`];
}

/** `notes`: what could not be searched, and advice. */
async function findRemains(app: App) {
  const { findings } = await checkErasure(app);
  const textOf = (severe: boolean) =>
    findings.filter((finding) => finding.severe === severe).map(({ text }) => text);
  const { remainsAdvice: advice } = (await describeStore(app)).traits;
  const advised = textOf(true).length === 0 || advice === undefined ? [] : [advice];
  return { findings: textOf(true), notes: [...textOf(false), ...advised] };
}

export const clockConfirm = defineStoreCommand({
  name: "clock confirm",
  summary:
    "Say that the clock of this host is right, after it has jumped or the service was stopped for long.",
  details:
    "When the clock differs by more than CLOCK_JUMP_HOURS from the last time that the store knows, deletions, ceilings and the " +
    "ends of holds and floors are paused, because a wrong clock would erase what has to be kept. Compare the time that this " +
    "prints with another clock. Serving processes continue within a minute.",
  examples: ["sluice clock confirm"],
  rights: ["clock.confirm"],
  run: async (app) => {
    const { now, lastKnown } = await confirmClock(app);
    const [time, before] = [now, lastKnown].map((one) =>
      one === undefined ? undefined : new Date(one).toISOString(),
    );
    return {
      json: { confirmed: time, ...(before === undefined ? {} : { last_known: before }) },
      text: `The time ${time ?? ""} is confirmed; the last time that was known is ${before ?? "none"}.`,
    };
  },
});

export const subjectIndex = defineStoreCommand({
  name: "subject index",
  summary: "Rebuild the indexes of persons and companies, and of the transactions that name them.",
  details:
    "Needed after a change of the key for receipts, from which keys of indexes are derived. Until it is done, a search says " +
    "that the index is not complete. If the command is stopped, a serving process continues, or the same command; it begins " +
    "again only if the index is complete, or was made with another key. The index of the transactions that name a person or " +
    "a company is rebuilt in any case.",
  examples: ["sluice subject index"],
  rights: ["subject.index"],
  run: async (app) => {
    const { indexes } = await import("../../process/indexes.ts");
    await rebuildIndexes(app, indexes);
    await runUntilStopped(async (stopping) => {
      for (const next of indexes.map(({ makeRound }) => makeRound(app))) {
        while (await next(stopping)) stopping.throwIfAborted();
      }
    });
    return { json: { complete: true }, text: "The indexes are complete." };
  },
});
