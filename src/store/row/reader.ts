// Reads the rows of a table as objects. A field has the name of its column in camel case, and is undefined for null.

/** A row that a statement has found. */
export type Row = Readonly<Record<string, null | boolean | number | string | Uint8Array>>;

type Stored = Row[string];

/** How a field is made whose value or presence differs from that of the column. */
const fields = {
  /** Stored as 0 or 1 on SQLite. */
  flag: Boolean,
  json: (stored: Stored): unknown => (stored === null ? undefined : JSON.parse(String(stored))),
  /** Missing for null. */
  optional: (stored: Stored) => stored ?? missing,
  /** Missing for false. */
  ifTrue: (stored: Stored) => (stored ? true : missing),
  /** Missing for an empty list. */
  ifAny: (stored: Stored) => (stored === "[]" ? missing : fields.json(stored)),
};

const missing = Symbol("missing");

type Kind = keyof typeof fields;

type IsPlain<Value> = Value extends null | undefined | number | string | Uint8Array ? true : false;

/** The fields that need one: those that may be missing, and those that are no text, number or bytes. */
type Kinds<Found> = {
  readonly [
    Field in keyof Found as object extends Pick<Found, Field>
      ? Field
      : false extends IsPlain<Found[Field]>
        ? Field
        : never
  ]: Kind;
};

export type Reader<Found> = (row: Row) => Found;

/** `prefix` with a dot: only the columns are read whose names begin with it. Without one, those that have no prefix. */
export function reader<Found extends object>(kinds: Kinds<Found>, prefix = ""): Reader<Found> {
  const kindOf = new Map<string, Kind>(
    Object.entries<Kind>(kinds as Readonly<Record<string, Kind>>),
  );
  return (row) => {
    const found: Record<string, unknown> = {};
    for (const [column, stored] of Object.entries(row)) {
      if (column.slice(0, column.indexOf(".") + 1) !== prefix) continue;
      const name = fieldOf(column.slice(prefix.length));
      const kind = kindOf.get(name);
      const value = kind === undefined ? (stored ?? undefined) : fields[kind](stored);
      if (value !== missing) found[name] = value;
    }
    // The statement selects the columns of the fields.
    return found as Found;
  };
}

/** The columns of a table, separated by spaces, under names that the reader of a joined table can tell apart. */
export function prefixed(prefix: string, table: string, columns: string): string {
  const names = columns.split(" ").map((name) => `${table}.${name} AS "${prefix}${name}"`);
  return names.join(", ");
}

const names = new Map<string, string>();

function fieldOf(column: string): string {
  let name = names.get(column);
  if (name === undefined) {
    name = column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    names.set(column, name);
  }
  return name;
}
