// The rights on tables that a serving process needs; the guide to PostgreSQL grants them to a role that owns no table.
// After an upgrade that adds tables, they have to be granted again.

import { StoreError } from "../../interface/store-error.ts";
import type { StoreParts } from "../../sql/store-parts.ts";
import type { Transaction } from "../transaction.ts";

/** The right to read is needed on every table. The values are names of tables, separated by spaces. */
const rightsOfService = ({ list }: StoreParts): Readonly<Record<string, string>> => ({
  "INSERT, UPDATE": "organization api_key operator deletion ledger proposal arrival_timeline",
  "INSERT, UPDATE, DELETE":
    "access_token record change relation deletion_target pseudonym hold restricted_reference idempotent_reply " +
    "restore replay_entry retention_floor operator_session operator_passkey one_time_token party_block " +
    ["deletion_recipient", ...list.flatMap(({ tables }) => tables)].join(" "),
  INSERT: "audit_entry receipt receipt_key",
  UPDATE: [
    "audit_head receipt_head receipt_key counter",
    ...list.flatMap(({ state = [] }) => state),
  ].join(" "),
});

const findUnreadable = `
  SELECT string_agg(relname, ', ' ORDER BY relname) AS names FROM pg_class
  WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relname = ANY ($1)
    AND NOT has_table_privilege(oid, 'SELECT')`;

/** Several rights, separated by commas, are all required. */
const findLacking = `
  SELECT string_agg(wanted, ', ' ORDER BY wanted) AS names FROM unnest($1::text[]) AS wanted
  WHERE NOT (SELECT bool_and(has_table_privilege(wanted, one)) FROM unnest($2::text[]) AS one)`;

const describeRole = `
  SELECT quote_ident(current_user) AS role, has_sequence_privilege('arrival', 'USAGE') AS counts`;

/** Throws StoreError that has the statements to run. */
export async function requireRights(transaction: Transaction): Promise<void> {
  const { role = "", counts = false } =
    (await transaction.get<{ role: string; counts: boolean }>(describeRole)) ?? {};
  const statements: string[] = [];
  const require = (rights: string, lacking: { readonly names: string | null } | undefined) => {
    const { names = null } = lacking ?? {};
    if (names !== null) statements.push(`GRANT ${rights} ON ${names} TO ${role};`);
  };
  const { storeParts: parts } = transaction;
  const tables = [...parts.tablesOn("postgres").keys()];
  require("SELECT", await transaction.get<{ names: string | null }>(findUnreadable, tables));
  for (const [rights, names] of Object.entries(rightsOfService(parts))) {
    const args = [names.split(" "), rights.split(", ")] as const;
    require(rights, await transaction.get<{ names: string | null }>(findLacking, ...args));
  }
  if (!counts) statements.push(`GRANT USAGE ON SEQUENCE arrival TO ${role};`);
  if (statements.length > 0) throw lackingRights(role, statements);
}

export function lackingRights(
  role: string,
  statements: readonly string[],
  owned: "tables" | "database" = "tables",
): StoreError {
  return new StoreError(
    `The role ${role} lacks rights. Have the owner of the ${owned} run: ${statements.join(" ")}`,
  );
}
