// JSON in the one form that can be signed: RFC 8785 (JCS) for values that hold text, whole numbers, lists and objects.
// Signs and hashes nothing itself.

/** Throws TypeError for what the form has no text for: undefined, fractions, numbers that a double does not hold exactly. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    // RFC 8785, section 3.2.3: by UTF-16 code units, which is how JavaScript compares text.
    const names = Object.keys(value).sort();
    const fields = names.map((name) => {
      const field = (value as Readonly<Record<string, unknown>>)[name];
      return `${JSON.stringify(name)}:${canonicalJson(field)}`;
    });
    return `{${fields.join(",")}}`;
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new TypeError("a number that is not whole, or too large, has no canonical form here");
  }
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError(`${typeof value} has no canonical form`);
  return text;
}
