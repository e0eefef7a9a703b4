// Copies the content of a store to an empty one in one pass, page by page, and then reads the copy back and compares
// the digests. Never changes the source, and never marks the target as complete before it is. A move that was
// interrupted can't be continued: the target has to be emptied. A digest covers a table in a form that is the same on
// every engine, with at most one page of rows in memory.

import { type MovePhase, type MoveStep, MoveStopped } from "./step.ts";
import type {
  MovedRow,
  MovedTable,
  MoveSource,
  MoveTarget,
  StoreSummary,
  MoveSide,
  TableSummary,
  MovedValue,
} from "./store/move.ts";
import { StoreError } from "../../store/interface/store-error.ts";
import type { Act } from "../../store/interface/act.ts";
import { createHash } from "node:crypto";

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

interface Summing {
  /** Called with each page. */
  readonly onPage?: (table: MovedTable, rows: readonly MovedRow[]) => Promise<void>;
  /** Called after each page with the number of rows so far. Throws to stop. */
  readonly onRows: (rows: number, table: string) => Promise<void>;
}

async function summarise(side: MoveSide, summing: Summing): Promise<StoreSummary> {
  const { onPage, onRows } = summing;
  const summary: Record<string, TableSummary> = {};
  let before = 0;
  for (const table of side.tables) {
    const rowsBefore = before;
    const found = await summariseTable(side, table, async (page, rows) => {
      await onPage?.(table, page);
      await onRows(rowsBefore + rows, table.name);
    });
    summary[table.name] = found;
    before += found.rows;
  }
  return summary;
}

async function summariseTable(
  side: MoveSide,
  table: MovedTable,
  onPage: (page: readonly MovedRow[], rows: number) => Promise<void>,
): Promise<TableSummary> {
  const hash = createHash("sha256");
  let rows = 0;
  let after: MovedRow | undefined;
  for (;;) {
    const page = await side.readPage(table, after);
    const last = page.at(-1);
    if (last === undefined) return { rows, sha256: hash.digest("hex") };
    hash.update(page.map((row) => `${toText(row)}\n`).join(""));
    rows += page.length;
    after = keyOf(table, last);
    await onPage(page, rows);
  }
}

function rowsOf(summary: StoreSummary): number {
  return Object.values(summary).reduce((sum, { rows }) => sum + rows, 0);
}

/** The tables whose summaries differ. */
function differingTables(one: StoreSummary, other: StoreSummary): readonly string[] {
  return Object.keys({ ...one, ...other }).filter((name) => {
    const [of, beside] = [one[name], other[name]];
    return of?.rows !== beside?.rows || of?.sha256 !== beside?.sha256;
  });
}

/** JSON; bytes are a list with one hexadecimal string, to distinguish them from text. */
function toText(values: MovedRow): string {
  return JSON.stringify(values.map(neutralValue));
}

/** The key values of a row, in the order of the key. */
function keyOf({ columns, key }: MovedTable, row: MovedRow): MovedRow {
  const names = Object.keys(columns);
  return key.map((name) => row[names.indexOf(name)] ?? null);
}

function neutralValue(value: MovedValue): unknown {
  return value instanceof Uint8Array ? [Buffer.from(value).toString("hex")] : value;
}
