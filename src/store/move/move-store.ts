// Copies everything that one store holds to another, page by page, and then compares the two. Whenever it ends, it goes on
// from the last page that is there for good. Never changes the source, nor says that the target is whole before it is.

import { type MovePhase, type MoveStep, MoveStopped } from "../../domain/move-step.ts";
import type { MovePage, MovePlace, MoveSource, MoveTarget, StoreSummary } from "../move.ts";
import { differingTables, rowsOf, summarise } from "./move-summary.ts";
import { keyOf, movedTables } from "./moved-tables.ts";
import { StoreError } from "../store-error.ts";
import type { Act } from "../store.ts";

export interface MoveOptions {
  readonly onStep: (step: MoveStep) => void;
  readonly stopping: AbortSignal;
  readonly act: Act;
}

export interface MoveReport {
  readonly storeId: string;
  readonly rows: number;
  /** What an earlier run had copied. */
  readonly rowsBefore: number;
  readonly summary: StoreSummary;
}

interface Sides {
  readonly source: MoveSource;
  readonly target: MoveTarget;
}

/** Throws StoreError if the target can't be used or does not come out equal, and MoveStopped. */
export async function moveStore(sides: Sides, options: MoveOptions): Promise<MoveReport> {
  const { source, target } = sides;
  const ends = await source.readEnds();
  // Before everything is read, which may take long: nobody shall serve the target meanwhile.
  await target.reserve(ends.storeId);
  const summary = await summarise(source, { onRows: tell("read", options) });
  const allRows = rowsOf(summary);
  const place = await target.begin(ends.storeId, summary);
  await copyTables(sides, place, { ...options, allRows });
  await target.writeEnds(ends);
  const found = await summarise(target, { onRows: tell("verify", options, allRows) });
  requireEqual(summary, found);
  if (JSON.stringify(await target.readEnds()) !== JSON.stringify(ends)) {
    throw differs("the ends of its chains and counters");
  }
  await target.finish(summary, options.act);
  return { storeId: ends.storeId, rows: allRows, rowsBefore: place.rows, summary };
}

interface Copying extends MoveOptions {
  readonly allRows: number;
}

/** The next page is read while the one before is being written. */
async function copyTables(
  { source, target }: Sides,
  begun: MovePlace,
  options: Copying,
): Promise<void> {
  const onRows = tell("copy", options, options.allRows);
  let place = begun;
  let writing: Promise<void> = Promise.resolve();
  try {
    while (place.table !== undefined) {
      const page = await readOn(source, place);
      await writing;
      await onRows(place.rows, page.table.name);
      writing = target.addPage(page);
      // Whoever waits for it is told; until then a failure must not end the process.
      writing.catch(() => undefined);
      place = page.next;
    }
  } finally {
    await writing;
  }
}

/** At the end of a table it gives a page without rows, from which it goes on in the next one. */
async function readOn(source: MoveSource, from: MovePlace): Promise<MovePage> {
  const index = movedTables.findIndex(({ name }) => name === from.table);
  const table = movedTables[index];
  if (table === undefined) throw new TypeError(`no table ${from.table ?? ""} is moved`);
  const rows = await source.readPage(table, from.after);
  const last = rows.at(-1);
  const next =
    last === undefined
      ? { table: movedTables[index + 1]?.name, after: undefined, rows: from.rows }
      : { table: table.name, after: keyOf(table, last), rows: from.rows + rows.length };
  return { table, rows, from, next };
}

function tell(
  phase: MovePhase,
  { onStep, stopping }: MoveOptions,
  allRows?: number,
): (rows: number, table: string) => Promise<void> {
  return async (rows, table) => {
    onStep({ phase, rows, allRows, table });
    // Signals are heard only between two turns.
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
    `The copy differs from the embedded store in ${what}. Something has written to it meanwhile. Nothing serves it: make ` +
      "the database anew, empty, and run the move again.",
  );
}
