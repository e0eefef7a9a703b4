// The values of records in the form that people write. Nothing is omitted: a value of unknown form is shown as JSON.

export function describeValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return describeAddress(value) ?? JSON.stringify(value);
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
