// Copies the content of a store to an empty one in one pass, page by page, and then reads the copy back and compares
// the digests. Never changes the source, and never marks the target as complete before it is. A move that was
// interrupted can't be continued: the target has to be emptied.

import { createHash } from "node:crypto";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import type { Act } from "../../../store/interface/act.ts";
import { StoreError } from "../../../store/interface/store-error.ts";
import type { BareStore } from "../../../store/sql/statement/run.ts";
import {
  addRows,
  finish,
  isInUse,
  listTables,
  type MovedRow,
  type MovedTable,
  readEnds,
  readPage,
  release,
  reserve,
  writeEnds,
} from "./statements.ts";

/** copy: reads the source and writes the target. verify: reads the target back. */
export type MovePhase = "copy" | "verify";

export interface MoveStep {
  readonly phase: MovePhase;
  readonly rows: number;
  /** Undefined while the number is unknown. */
  readonly allRows: number | undefined;
  readonly table: string;
}

export interface MoveOptions {
  readonly onStep: (step: MoveStep) => void;
  readonly stopping: AbortSignal;
  readonly act: Act;
  /** Called when the target has everything, before anybody may open it. */
  readonly onEqual: () => void;
}

export interface TableSummary {
  readonly rows: number;
  /** Over all rows in the order of their keys, in hex. */
  readonly sha256: string;
}

/** The keys are the names of the tables. */
type StoreSummary = Readonly<Record<string, TableSummary>>;

type Sides = Readonly<Record<"source" | "target", BareStore>>;

/** Throws StoreError if the target can't be used or differs at the end, and the reason of `stopping`. */
export async function moveStore(sides: Sides, options: MoveOptions) {
  const { source, target } = sides;
  const ends = await source.perform(readEnds);
  await takeTarget(target, ends.storeId);
  const summary = await copy(sides, reporter("copy", options));
  await target.perform(writeEnds, ends);
  const rows = Object.values(summary).reduce((sum, table) => sum + table.rows, 0);
  const copied = await summarise(target, reporter("verify", options, rows));
  requireEqual(summary, copied);
  if (JSON.stringify(await target.perform(readEnds)) !== JSON.stringify(ends)) {
    throw differs("the ends of its chains and counters");
  }
  options.onEqual();
  await target.perform(finish, rows, options.act);
  return { storeId: ends.storeId, rows, summary };
}

async function takeTarget(target: BareStore, storeId: string): Promise<void> {
  await awaitOthersGone(target);
  await target.perform(reserve, storeId);
  // A process that connected before the reservation was visible may already serve the target.
  await awaitOthersGone(target).catch(async (error: unknown) => {
    await target.perform(release);
    throw error;
  });
}

/** How long a move waits for the connections of other processes to end. */
const othersGoneMsMax = 10_000;
const pollMs = 200;

/** Statements of a killed move may still be running on the server for a moment. */
async function awaitOthersGone(target: BareStore): Promise<void> {
  const until = performance.now() + othersGoneMsMax;
  while (await target.perform(isInUse)) {
    if (performance.now() > until) {
      throw new StoreError(
        "Other Sluice processes are connected to the database that --to names. Stop them: nothing may serve it before it " +
          "contains the whole store.",
      );
    }
    await sleep(pollMs);
  }
}

type OnPage = (table: MovedTable, page: readonly MovedRow[]) => Promise<void>;

/** The next page is read while the previous one is being written. Returns what was read. */
async function copy({ source, target }: Sides, report: OnPage): Promise<StoreSummary> {
  let writing: Promise<void> = Promise.resolve();
  try {
    return await summarise(source, async (table, page) => {
      await writing;
      writing = target.perform(addRows, table, page);
      // A failure is thrown where the result is awaited; until then it must not end the process.
      writing.catch(() => undefined);
      await report(table, page);
    });
  } finally {
    await writing;
  }
}

function reporter(phase: MovePhase, { onStep, stopping }: MoveOptions, allRows?: number): OnPage {
  let rows = 0;
  return async ({ name: table }, page) => {
    rows += page.length;
    onStep({ phase, rows, allRows, table });
    // Signals are handled between event-loop ticks.
    await nextTick();
    stopping.throwIfAborted();
  };
}

function requireEqual(summary: StoreSummary, found: StoreSummary): void {
  for (const [name, read] of Object.entries(summary)) {
    const [source, target] = [describe(read), describe(found[name])];
    if (source === target) continue;
    throw differs(`${name} (${source} in the embedded store; ${target} in the database)`);
  }
}

function describe(table: TableSummary | undefined): string {
  return `${table?.rows ?? 0} rows, digest ${table?.sha256 ?? "none"}`;
}

function differs(what: string): StoreError {
  return new StoreError(
    `The copy differs from the embedded store in ${what}. Something has written to it meanwhile. Do not serve it: create ` +
      "an empty database, and run the move again.",
  );
}

async function summarise(side: BareStore, onPage: OnPage): Promise<StoreSummary> {
  const summary: Record<string, TableSummary> = {};
  for (const table of await side.perform(listTables)) {
    const hash = createHash("sha256");
    let rows = 0;
    let last: MovedRow | undefined;
    for (;;) {
      const page = await side.perform(readPage, table, last);
      last = page.at(-1);
      if (last === undefined) break;
      hash.update(page.map((row) => `${JSON.stringify(row)}\n`).join(""));
      rows += page.length;
      await onPage(table, page);
    }
    summary[table.name] = { rows, sha256: hash.digest("hex") };
  }
  return summary;
}
