// Copies the content of a store to an empty one in one pass, page by page, and then reads the copy back and compares
// the digests. Never changes the source, and never marks the target as complete before it is. A move that was
// interrupted can't be continued: the target has to be emptied.

import { type MovePhase, type MoveStep, MoveStopped } from "../../domain/move-step.ts";
import type {
  MovedRow,
  MovedTable,
  MoveSource,
  MoveTarget,
  StoreSummary,
} from "../interface/move.ts";
import { differingTables, rowsOf, summarise } from "./move-summary.ts";
import { StoreError } from "../interface/store-error.ts";
import type { Act } from "../interface/act.ts";

export interface MoveOptions {
  readonly onStep: (step: MoveStep) => void;
  readonly stopping: AbortSignal;
  readonly act: Act;
  /** Called when the target has everything, before anybody may open it. */
  readonly onEqual: () => void;
}

export interface MoveReport {
  readonly storeId: string;
  readonly rows: number;
  readonly summary: StoreSummary;
}

interface Sides {
  readonly source: MoveSource;
  readonly target: MoveTarget;
}

/** Throws StoreError if the target can't be used or differs at the end, and MoveStopped. */
export async function moveStore(sides: Sides, options: MoveOptions): Promise<MoveReport> {
  const { source, target } = sides;
  const ends = await source.readEnds();
  await target.reserve(ends.storeId);
  const summary = await copy(sides, reporter("copy", options));
  await target.writeEnds(ends);
  const rows = rowsOf(summary);
  const found = await summarise(target, { onRows: reporter("verify", options, rows) });
  requireEqual(summary, found);
  if (JSON.stringify(await target.readEnds()) !== JSON.stringify(ends)) {
    throw differs("the ends of its chains and counters");
  }
  options.onEqual();
  await target.finish(rows, options.act);
  return { storeId: ends.storeId, rows, summary };
}

type OnRows = (rows: number, table: string) => Promise<void>;

/** The next page is read while the previous one is being written. Returns what was read. */
async function copy({ source, target }: Sides, onRows: OnRows): Promise<StoreSummary> {
  let writing: Promise<void> = Promise.resolve();
  const onPage = async (table: MovedTable, rows: readonly MovedRow[]): Promise<void> => {
    await writing;
    writing = target.addRows(table, rows);
    // A failure is thrown where the result is awaited; until then it must not end the process.
    writing.catch(() => undefined);
  };
  try {
    return await summarise(source, { onRows, onPage });
  } finally {
    await writing;
  }
}

function reporter(phase: MovePhase, { onStep, stopping }: MoveOptions, allRows?: number): OnRows {
  return async (rows, table) => {
    onStep({ phase, rows, allRows, table });
    // Signals are handled between event-loop ticks.
    await new Promise((resolve) => void setImmediate(resolve));
    if (stopping.aborted) throw new MoveStopped("The move was stopped.");
  };
}

function requireEqual(summary: StoreSummary, found: StoreSummary): void {
  const [name] = differingTables(summary, found);
  if (name === undefined) return;
  const describe = (of: StoreSummary) =>
    `${of[name]?.rows ?? 0} rows, digest ${of[name]?.sha256 ?? "none"}`;
  throw differs(
    `${name} (${describe(summary)} in the embedded store; ${describe(found)} in the database)`,
  );
}

function differs(what: string): StoreError {
  return new StoreError(
    `The copy differs from the embedded store in ${what}. Something has written to it meanwhile. Do not serve it: create ` +
      "an empty database, and run the move again.",
  );
}
