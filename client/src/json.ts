// What is sent, as JSON, without the two surprises of JSON.stringify: it never turns a number into null, nor gives nothing.

/** Throws TypeError for what JSON can't say: numbers that are not finite, bigints, rings, undefined. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError("Nothing was given to be sent.");
  // The second pass costs more than the first, and most records hold no null.
  if (text.includes("null")) JSON.stringify(value, requireFinite);
  return text;
}

function requireFinite(field: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new TypeError(`${field} must be a finite number, but is ${value}.`);
}
