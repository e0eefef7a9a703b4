// Canonical JSON for signatures: RFC 8785 (JCS) for values of text, whole numbers, lists and objects.

/** Throws TypeError for anything else: undefined, fractions, numbers that a double does not represent exactly. */
export function canonicalJson(value: unknown): string {
  if (isInOrder(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  return joinFields(canonicalFields(value as object));
}

export function canonicalFields(value: object): readonly CanonicalField[] {
  return Object.entries(value).map(([name, field]) => [name, canonicalJson(field)]);
}

export type CanonicalField = readonly [name: string, text: string];

export function joinFields(fields: readonly CanonicalField[]): string {
  const sorted = fields.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** Whether JSON.stringify makes the canonical form: names in order by UTF-16 code units (RFC 8785, section 3.2.3). */
function isInOrder(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (Array.isArray(value)) return value.every(isInOrder);
  if (typeof value !== "object" || value === null) return hasForm(value);
  let previous = "";
  for (const [name, field] of Object.entries(value)) {
    if (name < previous || !isInOrder(field)) return false;
    previous = name;
  }
  return true;
}

function hasForm(value: unknown): true {
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new TypeError("a fraction or a number that is too large has no canonical form");
  }
  if (JSON.stringify(value) === undefined)
    throw new TypeError(`${typeof value} has no canonical form`);
  return true;
}
