// Finds the known name that a mistyped one was most likely meant to be. Never guesses where nothing is close.

/** Names longer than this are not worth comparing; nobody mistypes a field name into a paragraph. */
const nameCharactersMax = 64;

/** The closest of the known names, or undefined. `senderCountry` and `Sender-Country` are as close as can be. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > nameCharactersMax) return undefined;
  const wanted = snakeCase(name);
  let best: string | undefined;
  let bestDistance = editsMax(wanted) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[-. ]/g, "_")
    .toLowerCase();
}

function editsMax(name: string): number {
  if (name.length <= 3) return 1;
  return name.length <= 7 ? 2 : 3;
}

/** Insertions, deletions, replacements and swaps of neighbours that make one text into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped =
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, column - 2) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
