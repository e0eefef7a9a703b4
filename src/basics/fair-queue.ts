// A queue that keys share fairly, by surplus round robin: each key in turn is served until its credit is used up, and
// one that overdraws its credit waits for as many turns. Items of a key are in the order of their arrival. The cost of
// a step depends neither on how many keys wait nor on how many items.
//
// The items of a key are linked. The arrays or tables that a queue outgrows would become old objects that still refer
// to short-lived items, and keep them in memory until the next major collection.

export interface QueuedItem<Item> {
  readonly item: Item;
  readonly cost: number;
  /** Undefined once the item is removed. */
  line: Line<Item> | undefined;
  before: QueuedItem<Item> | undefined;
  after: QueuedItem<Item> | undefined;
}

interface Line<Item> {
  readonly key: string;
  first: QueuedItem<Item> | undefined;
  last: QueuedItem<Item> | undefined;
  size: number;
  /** The credit that is left in its turn; negative if what was taken cost more. */
  credit: number;
}

export class FairQueue<Item> {
  readonly #turnCost: number;
  /** The lines in the order of their turns. None is empty. */
  readonly #lines = new Map<string, Line<Item>>();
  #size = 0;

  /** A key may take items of `turnCost` in its turn, so that consecutive items of a key stay together. */
  constructor(turnCost = 1) {
    this.#turnCost = turnCost;
  }

  get size(): number {
    return this.#size;
  }

  sizeOf(key: string): number {
    return this.#lines.get(key)?.size ?? 0;
  }

  /** `cost`: at least 1. */
  push(key: string, item: Item, cost = 1): QueuedItem<Item> {
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = { key, first: undefined, last: undefined, size: 0, credit: this.#turnCost };
      this.#lines.set(key, line);
    }
    const place: QueuedItem<Item> = { item, cost, line, before: line.last, after: undefined };
    if (line.last === undefined) line.first = place;
    else line.last.after = place;
    line.last = place;
    line.size += 1;
    this.#size += 1;
    return place;
  }

  peek(): Item | undefined {
    for (const { item } of this.inTurn()) return item;
    return undefined;
  }

  /** The first items in turn. One that is taken is followed by the next; otherwise its key waits for the next call. */
  *inTurn(): Generator<QueuedItem<Item>> {
    for (const line of this.#lines.values()) {
      let { first } = line;
      for (; first !== undefined && this.#hasTurn(line); first = line.first) {
        yield first;
        if (first === line.first) break;
      }
    }
  }

  /** A key without credit goes to the end of the turns, where the loop reaches it again; alone, it goes on at once. */
  #hasTurn(line: Line<Item>): boolean {
    while (line.credit <= 0) {
      line.credit += this.#turnCost;
      if (this.#lines.size === 1) continue;
      this.#lines.delete(line.key);
      this.#lines.set(line.key, line);
      return false;
    }
    return true;
  }

  /** Removes an item because it is served, and charges its key. */
  take(place: QueuedItem<Item>): Item {
    if (place.line !== undefined) place.line.credit -= place.cost;
    this.remove(place);
    return place.item;
  }

  /** Removes an item that no longer waits. Does nothing if it was removed before. */
  remove(place: QueuedItem<Item>): void {
    const { line, before, after } = place;
    if (line === undefined) return;
    if (before === undefined) line.first = after;
    else before.after = after;
    if (after === undefined) line.last = before;
    else after.before = before;
    place.line = place.before = place.after = undefined;
    line.size -= 1;
    this.#size -= 1;
    if (line.size === 0) this.#lines.delete(line.key);
  }
}
