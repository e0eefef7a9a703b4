// Reads the rows of a table as objects. A field has the name of its column in camel case, and is undefined for null.

/** A row as a statement returns it. */
export type Row = Readonly<Record<string, null | boolean | number | string | Uint8Array>>;

type Stored = Row[string];

/** How a field is made if its value or presence differs from the column. */
const fields = {
  /** Stored as 0 or 1 on SQLite. */
  flag: Boolean,
  json: (stored: Stored): unknown => (stored === null ? undefined : JSON.parse(String(stored))),
  /** Missing if null. */
  optional: (stored: Stored) => stored ?? missing,
  /** Missing if false. */
  ifTrue: (stored: Stored) => (stored ? true : missing),
  /** Missing if null or an empty list. */
  ifAny: (stored: Stored) => (stored === null || stored === "[]" ? missing : fields.json(stored)),
};

const missing = Symbol("missing");

type Kind = keyof typeof fields;

type IsPlain<Value> = Value extends null | undefined | number | string | Uint8Array ? true : false;

/** The fields that need a conversion: those that may be missing, and those that are not text, numbers or bytes. */
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

interface Column {
  /** Undefined for a column that is not read. */
  readonly field: string | undefined;
  readonly make: ((stored: Stored) => unknown) | undefined;
}

interface Options {
  /** Ends with a dot: only columns whose names begin with it are read. Without it, columns without a prefix are. */
  readonly prefix?: string;
  /** Columns that are not read, separated by spaces. */
  readonly without?: string;
}

export function reader<Found extends object>(
  kinds: Kinds<Found>,
  { prefix = "", without = "" }: Options = {},
): Reader<Found> {
  const kindOf = new Map(Object.entries<Kind>(kinds as Readonly<Record<string, Kind>>));
  const unread = new Set(without.split(" "));
  const describe = (column: string): Column => {
    const isOther = column.slice(0, column.indexOf(".") + 1) !== prefix || unread.has(column);
    const field = fieldOf(column.slice(prefix.length));
    const kind = kindOf.get(field);
    return { field: isOther ? undefined : field, make: kind && fields[kind] };
  };
  // The names of a column are made once, because deletions are read by the thousand.
  const columns = new Map<string, Column>();
  return (row) => {
    const found: Record<string, unknown> = {};
    for (const column of Object.keys(row)) {
      let described = columns.get(column);
      if (described === undefined) columns.set(column, (described = describe(column)));
      if (described.field === undefined) continue;
      const stored = row[column] ?? null;
      const value = described.make === undefined ? (stored ?? undefined) : described.make(stored);
      if (value !== missing) found[described.field] = value;
    }
    // The statement selects the columns of the fields.
    return found as Found;
  };
}

/** The columns of a table, separated by spaces, under names that distinguish them in a join. */
export function prefixed(prefix: string, table: string, columns: string): string {
  const names = columns.split(" ").map((name) => `${table}.${name} AS "${prefix}${name}"`);
  return names.join(", ");
}

export function fieldOf(column: string): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
