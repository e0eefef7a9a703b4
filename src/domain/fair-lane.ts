// A queue that organizations share fairly, by surplus round robin: each in turn is served until its credit of rows is
// used up, and who overdraws it waits for as many turns. Within an organization the order is that of arrival. The work of
// a take grows with what is taken, however many organizations wait.

export interface Queued<Item> {
  readonly item: Item;
  readonly organizationId: string;
  /** What serving it costs, at least 1. */
  readonly rows: number;
  readonly bytes: number;
}

interface Line<Item> {
  readonly organizationId: string;
  entries: Queued<Item>[];
  /** Entries before this index have been taken. */
  first: number;
  /** Rows that it may still be served in its turn; negative if it has had more. */
  credit: number;
}

/** Taken entries that a line keeps before it drops them all at once. */
const takenKeptMax = 1_024;

export class FairLane<Item> {
  readonly #turnRows: number;
  /** In the order of their turns: the first is served next. Only lines with entries. */
  readonly #lines = new Map<string, Line<Item>>();
  #size = 0;

  /** An organization keeps its turn for `turnRows` rows, so that its neighbouring writes stay together. */
  constructor(turnRows: number) {
    this.#turnRows = turnRows;
  }

  /** How many entries wait. */
  get size(): number {
    return this.#size;
  }

  /** How many entries of an organization wait. */
  sizeOf(organizationId: string): number {
    const line = this.#lines.get(organizationId);
    return line === undefined ? 0 : line.entries.length - line.first;
  }

  push(entry: Queued<Item>): void {
    const { organizationId } = entry;
    let line = this.#lines.get(organizationId);
    if (line === undefined) {
      line = { organizationId, entries: [], first: 0, credit: this.#turnRows };
      this.#lines.set(organizationId, line);
    }
    line.entries.push(entry);
    this.#size += 1;
  }

  /** What a take would take first. */
  peek(): Queued<Item> | undefined {
    const line = this.#lineInTurn();
    return line?.entries[line.first];
  }

  /** Moves entries to `taken` until one does not fit. */
  take(taken: Item[], fits: (entry: Queued<Item>) => boolean): void {
    for (let line = this.#lineInTurn(); line !== undefined; line = this.#lineInTurn()) {
      const entry = line.entries[line.first];
      if (entry === undefined || !fits(entry)) return;
      taken.push(entry.item);
      this.#advance(line, entry);
    }
  }

  /** Passes over the lines without credit, which gain the credit of a turn for it. */
  #lineInTurn(): Line<Item> | undefined {
    for (const line of this.#lines.values()) {
      if (line.credit > 0) return line;
      line.credit += this.#turnRows;
      // A Map visits what is inserted while it is walked, so the walk ends only at a line with credit.
      this.#lines.delete(line.organizationId);
      this.#lines.set(line.organizationId, line);
    }
    return undefined;
  }

  #advance(line: Line<Item>, { rows }: Queued<Item>): void {
    this.#size -= 1;
    line.credit -= rows;
    line.first += 1;
    if (line.first === line.entries.length) this.#lines.delete(line.organizationId);
    else if (line.first >= takenKeptMax) {
      line.entries = line.entries.slice(line.first);
      line.first = 0;
    }
  }
}
