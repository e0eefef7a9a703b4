// SQL that the documents give to operators, read from the pages themselves, so that the documented
// statements are tested.

import { readFileSync } from "node:fs";
import { password } from "./postgres/postgres-server.ts";

const docs = new URL("../../docs/", import.meta.url);

/**
 * The statements that create the role of the service, for another role and database than the
 * guide's.
 */
export function readServiceRole(role: string, database: string): string {
  const guide = "guides/postgresql.md";
  return [readSql(guide, "CREATE ROLE sluice_service"), readSql(guide, "GRANT CONNECT")]
    .join("")
    .replaceAll("sluice_service", role)
    .replaceAll("DATABASE sluice", `DATABASE ${database}`)
    .replaceAll("a-long-random-password", password);
}

/** The statements for an operator who wants erased bytes gone at a known time. */
export function readOverwriting(): readonly string[] {
  return statementsOf(readSql("reference/what-we-erase.md", "VACUUM FULL record"));
}

/** The block of a page that contains these words. */
export function readSql(page: string, words: string): string {
  const text = readFileSync(new URL(page, docs), "utf8");
  const blocks = [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = ""]) => sql);
  const found = blocks.filter((block) => block.includes(words));
  const [sql] = found;
  if (sql === undefined || found.length > 1) {
    throw new Error(`${page} has ${found.length} blocks of SQL with ${words}`);
  }
  return sql;
}

function statementsOf(sql: string): readonly string[] {
  const statements = sql.replaceAll(/--[^\n]*/g, "").split(";");
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "");
}
