// Names and values of data in the form that people write. Nothing is omitted: a value of unknown form is shown as JSON.

export function describeValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return describeAddress(value) ?? JSON.stringify(value);
}

/** `graceSeconds` and `grace_seconds` become `Grace seconds`. */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
    .replaceAll(/\bid\b/g, "ID");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

const partsOfAddress = ["lines", "postal_code", "city", "county", "state", "country"] as const;

/** One line each; undefined if it is not an address. */
function describeAddress(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const given = new Map(Object.entries(value).filter(([, part]) => part !== null));
  const lines = partsOfAddress.flatMap((part) => given.get(part) ?? []);
  const isAddress = [...given.keys()].every((key) => partsOfAddress.some((part) => part === key));
  const isText = lines.length > 0 && lines.every((line) => typeof line === "string");
  return isAddress && isText ? lines.join("\n") : undefined;
}
