// A queue that organizations share fairly, by surplus round robin: each in turn is served until its credit of rows is used up,
// and one that overdraws its credit waits for as many turns. Within an organization the order is that of arrival. The cost of
// a take depends on what is taken, not on how many organizations wait.

export interface Queued<Item> {
  readonly item: Item;
  readonly organizationId: string;
  /** The cost of serving it, at least 1. */
  readonly rows: number;
  readonly bytes: number;
}

interface Line<Item> {
  readonly organizationId: string;
  /** An entry is cleared when it is taken: otherwise its item would stay in memory as long as others wait. */
  entries: (Queued<Item> | undefined)[];
  /** Entries before this index have been taken. */
  first: number;
  /** Rows that are left in its turn; negative if it was served more. */
  credit: number;
}

/** Places of taken entries that remain in a line before they are removed together. */
const takenKeptMax = 1_024;

export class FairLane<Item> {
  readonly #turnRows: number;
  /** In the order of their turns. Only lines with entries. */
  readonly #lines = new Map<string, Line<Item>>();
  #size = 0;

  /** A turn has `turnRows` rows, so that consecutive writes of an organization stay together. */
  constructor(turnRows: number) {
    this.#turnRows = turnRows;
  }

  /** Number of waiting entries. */
  get size(): number {
    return this.#size;
  }

  /** Number of waiting entries of an organization. */
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

  /** The entry that is taken next. */
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

  /** Skips lines without credit, and gives each the credit of a turn. */
  #lineInTurn(): Line<Item> | undefined {
    for (const line of this.#lines.values()) {
      if (line.credit > 0) return line;
      line.credit += this.#turnRows;
      // The iteration of a Map includes what is inserted meanwhile, so it ends only at a line with credit.
      this.#lines.delete(line.organizationId);
      this.#lines.set(line.organizationId, line);
    }
    return undefined;
  }

  #advance(line: Line<Item>, { rows }: Queued<Item>): void {
    this.#size -= 1;
    line.credit -= rows;
    line.entries[line.first] = undefined;
    line.first += 1;
    if (line.first === line.entries.length) this.#lines.delete(line.organizationId);
    else if (line.first >= takenKeptMax) {
      line.entries = line.entries.slice(line.first);
      line.first = 0;
    }
  }
}
