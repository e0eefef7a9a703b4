// What Citus requires of a schema and of statements, as far as it can be checked without Citus:
// from the catalog of a migrated database, and from the text of the statements.
// docs/guides/citus.md explains each rule.

export interface Catalog {
  /** Tables with their unique keys (primary ones too), each a list of columns. */
  readonly uniqueKeys: readonly { readonly table: string; readonly columns: readonly string[] }[];
  /** From one table to another. */
  readonly foreignKeys: readonly { readonly table: string; readonly target: string }[];
  /** By table and column: type and collation, as one text. */
  readonly types: Readonly<Record<string, string>>;
}

/** By table: the distribution column. */
export type Distribution = Readonly<Record<string, string>>;

export function findSchemaViolations(
  catalog: Catalog,
  distributed: Distribution,
): readonly string[] {
  const faults: string[] = [];
  for (const [table, column] of Object.entries(distributed)) {
    const keys = catalog.uniqueKeys.filter((key) => key.table === table);
    if (keys.length === 0) faults.push(`${table} has no key`);
    for (const { columns } of keys) {
      if (columns.includes(column)) continue;
      faults.push(`a unique key of ${table} (${columns.join(", ")}) lacks ${column}`);
    }
  }
  for (const { table, target } of catalog.foreignKeys) {
    if (table in distributed || target in distributed) {
      faults.push(`${table} refers to ${target} across shards`);
    }
  }
  const types = Object.entries(distributed).map(
    ([table, column]) => catalog.types[`${table}.${column}`],
  );
  if (new Set(types).size > 1) faults.push("the tables can't be co-located: their columns differ");
  return faults;
}

/** The rest of a line that begins with `--citus` runs there (transaction.ts). */
const onlyOnCitus = /--citus /g;
/** A line that ends with this is left out there. */
const onlyElsewhere = /^.* --elsewhere$/gm;
const comment = /--[^\n]*/g;

/** As Citus receives it, without comments, in one line. */
function plain(sql: string): string {
  const there = sql.replaceAll(onlyElsewhere, "").replaceAll(onlyOnCitus, "");
  const text = there.replaceAll(comment, " ");
  return text.replaceAll(/\s+/g, " ").trim();
}

export interface Tables {
  readonly distributed: Distribution;
  /** The tables that the coordinator keeps. */
  readonly local: readonly string[];
}

export function findStatementViolations(
  text: string,
  { distributed, local }: Tables,
): readonly string[] {
  const sql = plain(text);
  const uses = (table: string) =>
    new RegExp(`(?:FROM|JOIN|INTO|UPDATE|USING|,) ${table}\\b(?!\\.|\\))`, "i").test(sql);
  const used = Object.keys(distributed).filter(uses);
  if (used.length === 0) return [];
  return [
    ...(local.some(uses) ? ["joins shards with a table of the coordinator"] : []),
    ...findCopies(sql),
    ...findSearches(sql, { distributed, used }),
    ...findSubqueries(sql, used),
    ...findLocks(sql, { distributed, used }),
    ...findMoves(sql, distributed),
    ...findConflicts(sql, distributed),
    ...findInserts(sql, distributed),
    ...(/\bSAVEPOINT\b/i.test(sql) ? ["a savepoint"] : []),
    ...(/\b(?:xmin|xmax|ctid)\b/i.test(sql) ? ["a system column"] : []),
    ...(/\bWITH\b[^;]*\b(?:INSERT|UPDATE|DELETE)\b/i.test(sql) && /^WITH\b/i.test(sql)
      ? ["a statement that changes rows within another"]
      : []),
  ].map((fault) => `${fault}: ${sql}`);
}

/**
 * Rows from a query are copied into shards, which row-level security rejects; or written to files
 * first, which is slow.
 */
function findCopies(sql: string): readonly string[] {
  return /^INSERT INTO \w+ ?\([^)]*\) SELECT\b/i.test(sql) ? ["copies rows into shards"] : [];
}

/**
 * Citus can't tell the shards of keys in arrays, so they have to be named once more. Only
 * statements without the column may be sent to all shards.
 */
function findSearches(
  sql: string,
  { distributed, used }: { readonly distributed: Distribution; readonly used: readonly string[] },
): readonly string[] {
  const columns = /unnest\(.*?\)[^(]*\(([^)]*)\)/i.exec(sql)?.[1]?.split(/,\s*/) ?? [];
  const asked = used.some((table) => columns.includes(distributed[table] ?? ""));
  if (!asked || /\b(?:resource_id|to_id) = ANY \(\$\d::text\[\]\)/.test(sql)) return [];
  return ["queries all shards for rows on a few"];
}

/** Rows of a list are no rows of a shard, so a subquery for each of them would have to be asked of all shards. */
function findSubqueries(sql: string, used: readonly string[]): readonly string[] {
  const correlated = used.some((table) =>
    [
      `^SELECT [^()]* FROM unnest\\([^)]*\\) [^()]*\\([^)]*\\) WHERE EXISTS \\( ?SELECT 1 FROM ${table}\\b`,
      `^SELECT [^()]*\\( ?SELECT .* FROM ${table}\\b.*\\) AS \\w+ FROM unnest\\(`,
    ].some((pattern) => new RegExp(pattern, "i").test(sql)),
  );
  return correlated ? ["a subquery for each row of a list"] : [];
}

/** Only a statement that a single shard answers may lock rows. */
function findLocks(
  sql: string,
  { distributed, used }: { readonly distributed: Distribution; readonly used: readonly string[] },
): readonly string[] {
  if (!/\bFOR (?:NO KEY )?(?:UPDATE|SHARE)\b/i.test(sql)) return [];
  const [table = "", ...others] = used;
  const one = new RegExp(`\\bWHERE [^(]*\\b${distributed[table]} = \\$\\d`, "i").test(sql);
  return one && others.length === 0 ? [] : ["locks rows of several shards"];
}

/** A row can't be moved from one shard to another. */
function findMoves(sql: string, distributed: Distribution): readonly string[] {
  const update = /^UPDATE (\w+).*? SET (.*?)(?: FROM | WHERE |$)/i.exec(sql);
  const column = distributed[update?.[1] ?? ""];
  const moves = column !== undefined && new RegExp(`\\b${column} =`).test(update?.[2] ?? "");
  return moves ? ["changes the distribution column"] : [];
}

/** A conflict target has to include the distribution column. */
function findConflicts(sql: string, distributed: Distribution): readonly string[] {
  const conflict = /^INSERT INTO (\w+).*ON CONFLICT \(([^)]*)\)/i.exec(sql);
  const column = distributed[conflict?.[1] ?? ""];
  if (column === undefined || conflict?.[2]?.includes(column) === true) return [];
  return ["a conflict target without the distribution column"];
}

function findInserts(sql: string, distributed: Distribution): readonly string[] {
  const insert = /^INSERT INTO (\w+) ?\(([^)]*)\)/i.exec(sql);
  const column = distributed[insert?.[1] ?? ""];
  if (column === undefined || insert?.[2]?.includes(column) === true) return [];
  return ["a row without the distribution column"];
}
