// Finds the known name that a mistyped one was probably meant to be, if any is close.

/** Longer names are not compared: they are not mistyped field names. */
const nameCharactersMax = 64;

/** The closest of the known names, whatever their case, or undefined. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > nameCharactersMax) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = editsMax(wanted) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** `; did you mean …?`, or nothing. */
export function adviseName(name: string, known: Iterable<string>): string {
  const meant = closestName(name, known);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

function editsMax(name: string): number {
  if (name.length <= 3) return 1;
  return name.length <= 7 ? 2 : 3;
}

/** How many insertions, deletions and replacements there are. The length of both texts must be bounded. */
export function editDistance(from: string, to: string): number {
  let distances = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      next[column] = Math.min(
        at(distances, column) + 1,
        at(next, column - 1) + 1,
        at(distances, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1),
      );
    }
    distances = next;
  }
  return at(distances, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
