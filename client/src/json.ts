// JSON.stringify without its surprises: it never turns a number or a date into null, and never returns undefined. Its
// errors name the field.

/**
 * Throws TypeError for values that JSON can't represent: numbers that are not finite, invalid dates, bigints, cycles,
 * undefined.
 */
export function toJson(value: unknown): string {
  const text = stringify(value);
  if (text === undefined) throw new TypeError("There is nothing to send.");
  // The second pass costs more than the first, and most records contain no null.
  if (text.includes("null")) JSON.stringify(value, requireExact);
  return text;
}

function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    JSON.stringify(value, requireExact);
    throw error;
  }
}

/**
 * An invalid Date, and those of most date libraries, become null before `value` is passed on; a null would clear the
 * field.
 */
function requireExact(
  this: Readonly<Record<string, unknown>>,
  field: string,
  value: unknown,
): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new TypeError(`${field} must be a finite number, but is ${value}.`);
  }
  if (typeof value === "bigint") {
    throw new TypeError(`${field} must be a number, but is a bigint.`);
  }
  if (value === null && this[field] !== null) {
    throw new TypeError(`${field} must be a valid date, but is an invalid one.`);
  }
  return value;
}
