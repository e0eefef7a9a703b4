// Cuts an input into chunks: rows that are sent and recorded together. The boundaries depend only on the rows, so a
// continued import makes the same chunks. A chunk keeps only texts, which cost little.

import { hash } from "node:crypto";
import { limits } from "../../domain/limits.ts";
import type { ItemResult } from "../../actions/intake/item-results.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";
import { referencesOf } from "../../domain/record/payload.ts";
import type { FieldError } from "../../domain/error.ts";
import type { RowMapper } from "./map/map-row.ts";
import { parseRow, type UnparsedRow } from "../csv/row.ts";
import type { Range } from "./state-file.ts";

export type ItemOutcome = Omit<ItemResult, "index" | "id">;

/** The Idempotency-Key of a list, made from the text that is written for it. */
export type KeyOf = (text: string) => string;

export interface TargetList {
  /** Makes the text to send, and returns how many characters it keeps in memory. */
  add(payload: Payload): number;
  /** Call this once. Resolves to an outcome per record, in order. Throws OperatorError if the list can't be sent. */
  send(keyOf: KeyOf): Promise<readonly ItemOutcome[]>;
}

/** The target of an import: accepts lenient lists of records of one type, and recognizes one that is sent again. */
export interface Target {
  readonly name: string;
  begin(update: boolean): TargetList;
}

export interface UnmappedRow {
  readonly row: UnparsedRow;
  readonly errors: readonly FieldError[];
}

export interface ChunkOptions {
  readonly mapper: RowMapper;
  readonly target: Target;
  readonly type: RecordType;
  readonly rowsMax: number;
  readonly isDone: (row: number) => boolean;
}

/** How many rows and references to other records a chunk has: as many as a transaction of the group commit writes. */
const storedRowsMax = limits.groupRowsMax;
/** Many proxies limit bodies to a megabyte. */
const charactersMax = 900_000;

export async function* cutChunks(
  batches: AsyncIterable<readonly UnparsedRow[]>,
  options: ChunkOptions,
): AsyncGenerator<Chunk> {
  let chunk: Chunk | undefined;
  let position = 0;
  for await (const batch of batches) {
    for (const row of batch) {
      position += 1;
      const isDone = options.isDone(position);
      if (!isDone) (chunk ??= new Chunk(position, options)).add(row);
      if (chunk === undefined || !(isDone || chunk.isFull)) continue;
      yield chunk;
      chunk = undefined;
    }
  }
  if (chunk !== undefined) yield chunk;
}

interface ChunkList {
  readonly update: boolean;
  readonly list: TargetList;
  /** For each record, the index of its row. */
  readonly rows: number[];
}

export class Chunk {
  readonly rows: UnparsedRow[] = [];
  readonly unmapped: UnmappedRow[] = [];
  /** The ids of its records: two chunks that share a record are never in flight at the same time. */
  readonly ids = new Set<string>();
  readonly #from: number;
  readonly #options: ChunkOptions;
  readonly #lists: [adds?: ChunkList, updates?: ChunkList] = [];
  #references = 0;
  #characters = 0;

  constructor(from: number, options: ChunkOptions) {
    this.#from = from;
    this.#options = options;
  }

  get #count(): number {
    return this.rows.length + this.unmapped.length;
  }

  get range(): Range {
    return [this.#from, this.#from + this.#count - 1];
  }

  /** Adds come before updates; within each, rows keep their order. */
  get lists(): readonly ChunkList[] {
    return this.#lists.filter((list) => list !== undefined);
  }

  get isFull(): boolean {
    return (
      this.#count >= this.#options.rowsMax ||
      this.#count + this.#references >= storedRowsMax ||
      this.#characters >= charactersMax
    );
  }

  add(row: UnparsedRow): void {
    const { mapper, type } = this.#options;
    const mapped = mapper.map(parseRow(row));
    if ("fieldErrors" in mapped) {
      this.#characters += sizeOf(row);
      this.unmapped.push({ row, errors: mapped.fieldErrors });
      return;
    }
    const index = this.rows.push(row) - 1;
    for (const { update, payload } of mapped.submissions) {
      this.ids.add(String(payload[type.idField]));
      this.#references += referencesOf(type, payload).length;
      const { list, rows } = (this.#lists[update ? 1 : 0] ??= this.#begin(update));
      this.#characters += list.add(payload);
      rows.push(index);
    }
  }

  #begin(update: boolean): ChunkList {
    return { update, list: this.#options.target.begin(update), rows: [] };
  }
}

function sizeOf(row: UnparsedRow): number {
  return "text" in row ? row.text.length : JSON.stringify(row).length;
}

/** The same for the same list of the same import, and for no other. `text`: what is written for the list. */
export function keyOf(
  importId: string,
  { range, update }: { readonly range: Range; readonly update: boolean },
  text: string,
): string {
  const digest = hash("sha256", text, "base64url").slice(0, 22);
  return `import:${importId}:${range[0]}:${update ? "put" : "post"}:${digest}`;
}

/**
 * Processes chunks concurrently, but in order for each record: a chunk waits for all earlier ones that share a record
 * with it. Resolves when all are done, or when stopped and no chunk is in flight. The first failure ends it, once the
 * chunks in flight have ended.
 */
export async function workInOrder<One extends Pick<Chunk, "ids">>(
  chunks: AsyncIterable<One>,
  {
    atOnce,
    work,
    stopping,
  }: {
    readonly atOnce: number;
    readonly work: (chunk: One) => Promise<void>;
    readonly stopping: AbortSignal;
  },
): Promise<void> {
  const inFlight = new Map<One, Promise<void>>();
  const failures: unknown[] = [];
  const begin = (chunk: One): void => {
    const done = work(chunk)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => inFlight.delete(chunk));
    inFlight.set(chunk, done);
  };
  try {
    for await (const chunk of chunks) {
      for (const [earlier, done] of inFlight) {
        if (!chunk.ids.isDisjointFrom(earlier.ids)) await done;
      }
      if (inFlight.size >= atOnce) await Promise.race(inFlight.values());
      if (failures.length > 0 || stopping.aborted) break;
      begin(chunk);
    }
  } finally {
    await Promise.all(inFlight.values());
  }
  if (failures.length > 0) throw failures[0];
}
