// Cuts an input into chunks: rows that are sent, acknowledged and noted in the state file together. The boundaries
// depend only on the rows, so a continued import makes the same chunks.

import { hash } from "node:crypto";
import { limits } from "../../domain/limits.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { referencesOf } from "../../domain/record/payload.ts";
import type { MappedRow, RowMapper, Submission } from "./map-row.ts";
import type { Refusal } from "./refused-file.ts";
import type { Row } from "../formats/row.ts";
import type { Range } from "./state-file.ts";

export interface Item {
  readonly row: Row;
  readonly submissions: readonly Submission[];
}

export interface Chunk {
  readonly range: Range;
  readonly items: readonly Item[];
  /** Rows that can't be mapped to a record. */
  readonly refusals: readonly Refusal[];
  /** The ids of its records: two chunks that share a record are never in flight at once. */
  readonly ids: ReadonlySet<string>;
}

export interface ChunkOptions {
  readonly mapper: RowMapper;
  readonly type: RecordType;
  /** How many rows a chunk has at most. */
  readonly rowsMax: number;
  /** True for a row, counted from 1 in the order of the file, that an earlier run has sent. */
  readonly isDone: (row: number) => boolean;
}

/** Rows and references to other records: as many as a transaction of the group commit writes. */
const storedRowsMax = limits.groupRowsMax;
/** Many proxies limit bodies to a megabyte. */
const charactersMax = 900_000;

export async function* cutChunks(
  rows: AsyncIterable<Row>,
  { mapper, isDone, ...bounds }: ChunkOptions,
): AsyncGenerator<Chunk> {
  let draft: Draft | undefined;
  let position = 0;
  for await (const row of rows) {
    position += 1;
    if (isDone(position)) {
      if (draft !== undefined) yield draft.end();
      draft = undefined;
      continue;
    }
    draft ??= new Draft(position, bounds);
    draft.add(row, mapper.map(row));
    if (!draft.isFull) continue;
    yield draft.end();
    draft = undefined;
  }
  if (draft !== undefined) yield draft.end();
}

class Draft {
  readonly #from: number;
  readonly #bounds: Pick<ChunkOptions, "type" | "rowsMax">;
  readonly #items: Item[] = [];
  readonly #refusals: Refusal[] = [];
  readonly #ids = new Set<string>();
  #rows = 0;
  #references = 0;
  #characters = 0;

  constructor(from: number, bounds: Pick<ChunkOptions, "type" | "rowsMax">) {
    this.#from = from;
    this.#bounds = bounds;
  }

  get isFull(): boolean {
    return (
      this.#rows >= this.#bounds.rowsMax ||
      this.#rows + this.#references >= storedRowsMax ||
      this.#characters >= charactersMax
    );
  }

  add(row: Row, mapped: MappedRow): void {
    this.#rows += 1;
    if ("fieldErrors" in mapped) {
      this.#characters += sizeOf(row);
      this.#refusals.push({ row, code: undefined, message: undefined, errors: mapped.fieldErrors });
      return;
    }
    this.#characters += mapped.characters;
    const { type } = this.#bounds;
    for (const { payload } of mapped.submissions) {
      this.#ids.add(String(payload[type.idField]));
      this.#references += referencesOf(type, payload).length;
    }
    this.#items.push({ row, submissions: mapped.submissions });
  }

  end(): Chunk {
    const range: Range = [this.#from, this.#from + this.#rows - 1];
    return { range, items: this.#items, refusals: this.#refusals, ids: this.#ids };
  }
}

/** Estimates the characters of a row that is not sent; each cell counts, even if it is empty. */
function sizeOf(row: Row): number {
  if ("cells" in row) return row.cells.reduce((sum, cell) => sum + cell.length + 1, 0);
  return "text" in row ? row.text.length : JSON.stringify(row.fields).length;
}

/** The submissions of a chunk that are sent together, each with the index of its item. */
export interface ChunkList {
  readonly update: boolean;
  readonly members: readonly (Submission & { readonly item: number })[];
}

/** Adds come before updates; within each, rows keep their order. */
export function listsOf({ items }: Chunk): readonly ChunkList[] {
  const all = items.flatMap(({ submissions }, item) =>
    submissions.map((submission) => ({ ...submission, item })),
  );
  return [false, true]
    .map((update) => ({ update, members: all.filter((member) => member.update === update) }))
    .filter(({ members }) => members.length > 0);
}

/**
 * An Idempotency-Key: the same for the same list of the same import, and for no other. `texts`: what is written of the list.
 */
export function keyOf(
  importId: string,
  { range, update }: { readonly range: Range; readonly update: boolean },
  texts: readonly string[],
): string {
  const digest = hash("sha256", texts.join("\n"), "base64url").slice(0, 22);
  return `import:${importId}:${range[0]}:${update ? "put" : "post"}:${digest}`;
}
