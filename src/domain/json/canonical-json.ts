// Canonical JSON for signatures: RFC 8785 (JCS) for values of text, whole numbers, lists and objects.

/** Throws TypeError for anything else: undefined, fractions, numbers that a double does not represent exactly. */
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
    throw new TypeError("a fraction or a number that is too large has no canonical form");
  }
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError(`${typeof value} has no canonical form`);
  return text;
}
