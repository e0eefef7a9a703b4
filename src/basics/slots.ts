// Items by reusable number, for items that come and go in any order. A Map would do the same in fewer lines, but the
// tables that it outgrows become old objects that still refer to short-lived items, and keep them alive until the next
// major collection.

/** The number of an item until it is removed. */
export type Ticket = number;

export class Slots<Item> {
  readonly #items: (Item | undefined)[] = [];
  readonly #free: Ticket[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  add(item: Item): Ticket {
    const ticket = this.#free.pop() ?? this.#items.length;
    this.#items[ticket] = item;
    return ticket;
  }

  /** Undefined if no item has this ticket. */
  remove(ticket: Ticket): Item | undefined {
    const item = this.#items[ticket];
    if (item === undefined) return undefined;
    this.#items[ticket] = undefined;
    this.#free.push(ticket);
    return item;
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }

  removeAll(): readonly Item[] {
    const items = [...this];
    this.#items.length = 0;
    this.#free.length = 0;
    return items;
  }
}
