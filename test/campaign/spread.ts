// Chooses from a list, so that a short campaign covers all of it and a long one misses nothing.

import type { Random } from "../support/random.ts";

/** As many of them, from all over the list, in random order; all if there are not more. */
export function spread(
  all: readonly number[],
  { count, random }: { readonly count: number; readonly random: Random },
): readonly number[] {
  if (count >= all.length) return shuffle(all, random);
  const size = all.length / count;
  const picked = Array.from({ length: count }, (_, index) => {
    const at = Math.min(all.length - 1, Math.floor((index + random.next()) * size));
    return all[at] ?? 1;
  });
  return shuffle(picked, random);
}

function shuffle(all: readonly number[], random: Random): readonly number[] {
  const left = [...all];
  const shuffled: number[] = [];
  while (left.length > 0) shuffled.push(...left.splice(random.integer(0, left.length - 1), 1));
  return shuffled;
}
