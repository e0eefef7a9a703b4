// Cuts an input into chunks: rows that are sent, acknowledged and saved together. Where a chunk ends depends on the rows
// alone, so an import that continues makes the same chunks.

import { hash } from "node:crypto";
import type { MappedRow, RowMapper, Submission } from "./map-row.ts";
import type { Refusal } from "./refused-file.ts";
import type { Row } from "../formats/row.ts";
import type { Range } from "./state-file.ts";

export interface Item {
  readonly row: Row;
  readonly submissions: readonly Submission[];
  /** Of the submissions, as JSON. */
  readonly texts: readonly string[];
}

export interface Chunk {
  readonly range: Range;
  readonly items: readonly Item[];
  /** Rows that can't be mapped to a record. */
  readonly refusals: readonly Refusal[];
  /** Of the records, so that no two chunks with one in common are under way at once. */
  readonly ids: ReadonlySet<string>;
}

export interface ChunkOptions {
  readonly mapper: RowMapper;
  readonly idField: string;
  /** Rows, counted from 1 as they stand in the file, that an earlier run has sent. */
  readonly isDone: (row: number) => boolean;
}

const rowsMax = 250;
/** Proxies often take no more than a megabyte. */
const charactersMax = 900_000;

export async function* cutChunks(
  rows: AsyncIterable<Row>,
  { mapper, idField, isDone }: ChunkOptions,
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
    draft ??= new Draft(position, idField);
    draft.add(row, mapper.map(row));
    if (!draft.isFull) continue;
    yield draft.end();
    draft = undefined;
  }
  if (draft !== undefined) yield draft.end();
}

class Draft {
  readonly #from: number;
  readonly #idField: string;
  readonly #items: Item[] = [];
  readonly #refusals: Refusal[] = [];
  readonly #ids = new Set<string>();
  #rows = 0;
  #characters = 0;

  constructor(from: number, idField: string) {
    this.#from = from;
    this.#idField = idField;
  }

  get isFull(): boolean {
    return this.#rows >= rowsMax || this.#characters >= charactersMax;
  }

  add(row: Row, mapped: MappedRow): void {
    this.#rows += 1;
    if ("fieldErrors" in mapped) {
      this.#refusals.push({ row, code: undefined, message: undefined, errors: mapped.fieldErrors });
      return;
    }
    const texts = mapped.submissions.map(({ payload }) => JSON.stringify(payload));
    for (const text of texts) this.#characters += text.length;
    for (const { payload } of mapped.submissions) this.#ids.add(String(payload[this.#idField]));
    this.#items.push({ row, submissions: mapped.submissions, texts });
  }

  end(): Chunk {
    const range: Range = [this.#from, this.#from + this.#rows - 1];
    return { range, items: this.#items, refusals: this.#refusals, ids: this.#ids };
  }
}

/** The submissions of a chunk that go together in one list, with the item that each is of. */
export interface ChunkList {
  readonly update: boolean;
  readonly members: readonly { readonly item: number; readonly submission: Submission }[];
  readonly texts: readonly string[];
}

/** What adds comes before what updates; within each, rows keep their order. */
export function listsOf({ items }: Chunk): readonly ChunkList[] {
  return [false, true].flatMap((update) => {
    const members = items.flatMap(({ submissions, texts }, item) =>
      submissions
        .map((submission, index) => ({ item, submission, text: texts[index] ?? "" }))
        .filter(({ submission }) => submission.update === update),
    );
    if (members.length === 0) return [];
    return [{ update, members, texts: members.map(({ text }) => text) }];
  });
}

/** The same for the same list of the same import, and for no other. */
export function keyOf(importId: string, { range }: Chunk, { update, texts }: ChunkList): string {
  const content = hash("sha256", texts.join("\n"), "base64url").slice(0, 22);
  return `import:${importId}:${range[0]}:${update ? "put" : "post"}:${content}`;
}
