// In which order open deletions take their steps. Organizations take turns, so that a deletion waits for at most one
// step of each other organization, however many deletions those have.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { ownerOf } from "../../domain/deletion/restricted-set.ts";

interface Waiting {
  readonly deletion: Deletion;
}

/** The first of each organization, then the second of each, and so on. */
export function inTurn<One extends Waiting>(all: readonly One[]): readonly One[] {
  const counts = new Map<string, number>();
  const rounds = Map.groupBy(all, (one) => {
    const owner = ownerOf(one.deletion);
    const round = counts.get(owner) ?? 0;
    counts.set(owner, round + 1);
    return round;
  });
  return [...rounds.values()].flat();
}

/** After a step that began with `served`: others of its organization follow all others, and `served` is the last. */
export function afterTurnOf<One extends Waiting>(served: One, all: readonly One[]): readonly One[] {
  const owner = ownerOf(served.deletion);
  const place = (one: One) => {
    if (one === served) return 2;
    return ownerOf(one.deletion) === owner ? 1 : 0;
  };
  return all.toSorted((one, other) => place(one) - place(other));
}
