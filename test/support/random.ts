// Pseudorandom numbers, the same for the same seed on every machine (mulberry32). Not for secrets.

export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  next(): number;
  /** An integer from `min` to `max`, both inclusive. */
  integer(min: number, max: number): number;
  /** True with about this probability. */
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

export function makeRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    integer,
    chance: (share) => next() < share,
    pick: (items) => {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new RangeError("there is nothing to pick from");
      return item;
    },
  };
}

/** Each item as often as its weight says. */
export function pickWeighted<Item>(
  random: Random,
  items: readonly (readonly [weight: number, item: Item])[],
): Item {
  let left = random.next() * items.reduce((sum, [weight]) => sum + weight, 0);
  const picked = items.find(([weight]) => (left -= weight) < 0);
  if (picked === undefined) throw new RangeError("there is nothing to pick from");
  return picked[1];
}
