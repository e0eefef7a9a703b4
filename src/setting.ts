// What a setting is, and how the common kinds of values are read. A value that can't be read is a Problem, which says what was
// expected and never repeats the value.

export interface Setting<Value> {
  readonly name: string;
  readonly fallback: string;
  readonly summary: string;
  readonly read: (text: string) => Value | Problem;
}

export class Problem {
  readonly expected: string;
  constructor(expected: string) {
    this.expected = expected;
  }
}

export function setting<Value>(
  name: string,
  fallback: string,
  summary: string,
  read: (text: string) => Value | Problem,
): Setting<Value> {
  return { name, fallback, summary, read };
}

export function text(expected: string): (value: string) => string | Problem {
  return (value) => (value.trim() === "" ? new Problem(expected) : value);
}

export function wholeNumber(min: number, max: number): (value: string) => number | Problem {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    const fits = number >= min && number <= max;
    return fits ? number : new Problem(`a whole number from ${min} to ${max}`);
  };
}

export function oneOf<const Value extends string>(
  values: readonly Value[],
): (value: string) => Value | Problem {
  return (value) =>
    values.find((known) => known === value) ?? new Problem(`one of ${values.join(", ")}`);
}

export function onOrOff(value: string): boolean | Problem {
  if (value !== "on" && value !== "off") return new Problem("on or off");
  return value === "on";
}

/** For what may be left out: an empty text is undefined. */
export function optional<Value>(
  read: (value: string) => Value | Problem,
): (value: string) => Value | undefined | Problem {
  return (value) => (value === "" ? undefined : read(value));
}

/** Undefined if a part is not `key=value` or can't be decoded. */
export function readPairs(value: string): readonly (readonly [string, string])[] | undefined {
  const parts = value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const pairs = parts.map(readPair);
  return pairs.every((pair) => pair !== undefined) ? pairs : undefined;
}

function readPair(part: string): readonly [string, string] | undefined {
  const at = part.indexOf("=");
  if (at <= 0) return undefined;
  try {
    const name = decodeURIComponent(part.slice(0, at).trim());
    return name === "" ? undefined : [name, decodeURIComponent(part.slice(at + 1).trim())];
  } catch {
    return undefined;
  }
}
