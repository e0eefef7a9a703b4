// Copies the content of a store to another one, page by page, and then compares the two. After an interruption it
// continues from the last committed page. Never changes the source, and never marks the target as complete before it
// is.

import { type MovePhase, type MoveStep, MoveStopped } from "../../domain/move-step.ts";
import type {
  MovePage,
  MovePlace,
  MoveSource,
  MoveTarget,
  StoreSummary,
} from "../interface/move.ts";
import { differingTables, rowsOf, summarise } from "./move-summary.ts";
import { keyOf } from "./neutral-row.ts";
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
  /** The rows that an earlier run has copied. */
  readonly rowsBefore: number;
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
  // First, because reading everything may take long, and nobody may serve the target meanwhile.
  await target.reserve(ends.storeId);
  const summary = await summarise(source, { onRows: reporter("read", options) });
  const allRows = rowsOf(summary);
  const place = await target.begin(ends.storeId, summary);
  await copyTables(sides, place, { ...options, allRows });
  await target.writeEnds(ends);
  const found = await summarise(target, { onRows: reporter("verify", options, allRows) });
  requireEqual(summary, found);
  if (JSON.stringify(await target.readEnds()) !== JSON.stringify(ends)) {
    throw differs("the ends of its chains and counters");
  }
  options.onEqual();
  await target.finish(summary, options.act);
  return { storeId: ends.storeId, rows: allRows, rowsBefore: place.rows, summary };
}

/** The next page is read while the previous one is being written. */
async function copyTables(
  { source, target }: Sides,
  begun: MovePlace,
  options: MoveOptions & { readonly allRows: number },
): Promise<void> {
  const onRows = reporter("copy", options, options.allRows);
  let place = begun;
  let writing: Promise<void> = Promise.resolve();
  try {
    while (place.table !== undefined) {
      const page = await readNext(source, place);
      await writing;
      await onRows(place.rows, page.table.name);
      writing = target.addPage(page);
      // A failure is thrown where the result is awaited; until then it must not end the process.
      writing.catch(() => undefined);
      place = page.next;
    }
  } finally {
    await writing;
  }
}

/** At the end of a table, returns a page without rows that leads to the next table. */
async function readNext(source: MoveSource, from: MovePlace): Promise<MovePage> {
  const { tables } = source;
  const index = tables.findIndex(({ name }) => name === from.table);
  const table = tables[index];
  if (table === undefined) throw new TypeError(`no table ${from.table ?? ""} is moved`);
  const rows = await source.readPage(table, from.after);
  const last = rows.at(-1);
  const next =
    last === undefined
      ? { table: tables[index + 1]?.name, after: undefined, rows: from.rows }
      : { table: table.name, after: keyOf(table, last), rows: from.rows + rows.length };
  return { table, rows, from, next };
}

function reporter(
  phase: MovePhase,
  { onStep, stopping }: MoveOptions,
  allRows?: number,
): (rows: number, table: string) => Promise<void> {
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
