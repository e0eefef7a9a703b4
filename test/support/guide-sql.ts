// SQL that a guide gives to operators, taken from the page itself, so that what is tested is what is told.

import { readFileSync } from "node:fs";
import { password } from "./postgres-server.ts";

const guide = new URL("../../docs/guides/postgresql.md", import.meta.url);

/** The statements that make the role of the service, for another role and database than the guide's. */
export function readServiceRole(role: string, database: string): string {
  const blocks = [...readFileSync(guide, "utf8").matchAll(/```sql\n(.*?)```/gs)].map(
    ([, sql = ""]) => sql,
  );
  const sql = blocks.find((block) => block.includes("CREATE ROLE sluice_service"));
  if (sql === undefined) throw new Error("the guide makes no role for the service");
  return sql
    .replaceAll("sluice_service", role)
    .replaceAll("DATABASE sluice", `DATABASE ${database}`)
    .replaceAll("a-long-random-password", password);
}
