// What the features that a store is opened with have in it, together with what the core has: the tables as schema.sql
// and the parts describe them, what an erasure does to each column, and the methods that change the store. Whoever
// opens a store passes this on; an engine answers with it where a statement depends on it. Runs no statement.

import { readFileSync } from "node:fs";
import type { AnyMethod, Methods } from "./method.ts";
import type { StorePart } from "./part.ts";
import { schemaText } from "./schema-text.ts";
import { askParts, type EngineName, type Statements } from "./statement/statements.ts";

/** How an erasure removes the column, or why it remains. */
export type Fate = { readonly erased: string } | { readonly retained: string };

interface Column {
  /** The type on PostgreSQL. */
  readonly type: string;
  /** Undefined if neither the comment of the column nor that of its table says it. */
  readonly fate: Fate | undefined;
}

export interface Table {
  /** The columns of the primary key. */
  readonly key: string[];
  readonly columns: Map<string, Column>;
}

/** Tables by their names. */
type Tables = ReadonlyMap<string, Table>;

type Fates = Readonly<Record<string, Fate | undefined>>;

export class StoreParts {
  readonly list: readonly StorePart[];
  /** The methods of the parts that change the store, by the names under which they are sent to a writer. */
  readonly changes: ReadonlyMap<string, AnyMethod["work"]>;
  /** The columns by which tables of parts are distributed over a Citus cluster. */
  readonly distributed: Readonly<Record<string, string>>;
  readonly #tables = new Map<EngineName, Tables>();
  #erasureMap: Readonly<Record<string, Fates>> | undefined;

  constructor(list: readonly StorePart[]) {
    this.list = list;
    this.distributed = Object.assign({}, ...list.map((part) => part.distributed)) as Record<
      string,
      string
    >;
    this.changes = new Map(list.flatMap(({ name, methods }) => changesIn(name, methods)));
  }

  /** The statements that make the tables of a new store. */
  schemaFor(engine: EngineName): string {
    const files = [
      new URL("schema.sql", import.meta.url),
      ...this.list.flatMap((part) => part.schema ?? []),
    ];
    return schemaText(engine, files.map((file) => readFileSync(file, "utf8")).join("\n"));
  }

  tablesOn(engine: EngineName): Tables {
    const known = this.#tables.get(engine) ?? readTables(this.schemaFor(engine));
    this.#tables.set(engine, known);
    return known;
  }

  /** Every column of every table of both engines. A test compares it with what a deletion leaves in them. */
  get erasureMap(): Readonly<Record<string, Fates>> {
    return (this.#erasureMap ??= mapFates([
      ...this.tablesOn("postgres"),
      ...this.tablesOn("sqlite"),
    ]));
  }

  /** False for a column that contains nothing about any record; undefined for an unknown column. */
  isAboutRecords(table: string, column: string): boolean | undefined {
    const columns = this.erasureMap[table] ?? {};
    if (!Object.hasOwn(columns, column)) return undefined;
    const fate = columns[column];
    return fate === undefined || !("retained" in fate) || fate.retained !== nothing;
  }
}

/** What the store was opened with. */
export function* storeParts(): Statements<StoreParts> {
  return (yield* askParts()) as StoreParts;
}

/** The methods of a group that change the store. */
export function changesIn(
  group: string,
  methods: Methods,
): readonly (readonly [name: string, work: AnyMethod["work"]])[] {
  return Object.entries(methods)
    .filter(([, { kind }]) => kind === "change")
    .map(([name, { work }]) => [`${group}.${name}`, work] as const);
}

const nothing = "contains nothing about any record";

function mapFates(tables: Iterable<readonly [name: string, table: Table]>) {
  const map: Record<string, Fates> = {};
  for (const [name, { columns }] of tables) {
    const fates = Array.from(columns, ([column, { fate }]) => [column, fate] as const);
    map[name] = { ...map[name], ...Object.fromEntries(fates) };
  }
  return map;
}

interface DescribedTable extends Table {
  /** The default for columns that do not say it themselves. */
  readonly fate: Fate | undefined;
}

function readTables(schema: string): Tables {
  const tables = new Map<string, DescribedTable>();
  let open: DescribedTable | undefined;
  let comment = "";
  for (const line of schema.split("\n").map((text) => text.trim())) {
    const [, name] = /^CREATE TABLE (\w+) \($/.exec(line) ?? [];
    if (name !== undefined) {
      open = { key: [], columns: new Map(), fate: fateIn(comment) };
      tables.set(name, open);
    } else if (line.startsWith(")")) open = undefined;
    else if (open !== undefined && /^\w/.test(line)) {
      const [column = "", type = ""] = line.split(/\W/);
      open.key.push(...keyIn(line));
      if (column !== "PRIMARY")
        open.columns.set(column, { type, fate: fateIn(comment) ?? open.fate });
    }
    comment = line.startsWith("-- ") ? `${comment}${line.slice(2)}` : "";
  }
  return tables;
}

/** The key that a line declares, of one column or several. */
function keyIn(line: string): readonly string[] {
  const [, list, column] = /^PRIMARY KEY \(([^)]*)\)|^(\w+) .*PRIMARY KEY/.exec(line) ?? [];
  return list?.split(", ") ?? (column === undefined ? [] : [column]);
}

function fateIn(comment: string): Fate | undefined {
  const [, kind, text = ""] = / (erased|retained): (.*)$/.exec(comment) ?? [];
  if (kind === undefined) return undefined;
  return kind === "erased" ? { erased: text } : { retained: text };
}
