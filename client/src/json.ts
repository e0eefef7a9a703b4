// JSON.stringify without its two surprises: it never turns a number into null, and never returns undefined.

/** Throws TypeError for values that JSON can't represent: numbers that are not finite, bigints, cycles, undefined. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError("There is nothing to send.");
  // The second pass costs more than the first, and most records contain no null.
  if (text.includes("null")) JSON.stringify(value, requireFinite);
  return text;
}

function requireFinite(field: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new TypeError(`${field} must be a finite number, but is ${value}.`);
}
