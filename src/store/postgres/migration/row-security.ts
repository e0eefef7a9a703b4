// Row-level security limits the rows that a transaction may see and write, by the settings that the transaction begins
// with (sql/statement/visibility.ts). It applies to owners too, except for the shards of a cluster, but not to
// superusers, so the service should run as an ordinary role.

import { distributedTables } from "../citus.ts";
import type { StoreParts } from "../../sql/store-parts.ts";
import type { View } from "../../sql/statement/visibility.ts";
import type { Transaction } from "../transaction.ts";

/** The views besides `all` that may read a table. */
const viewsOf: Readonly<Record<string, readonly View[]>> = {
  organization: ["credentials"],
  api_key: ["credentials"],
  access_token: ["credentials"],
  deletion: ["deletions"],
  receipt: ["deletions"],
  pseudonym: ["deletions"],
};

/** Every table with an organization's data. */
export function securedTables(parts: StoreParts): readonly string[] {
  const tables = [...parts.tablesOn("postgres")];
  return tables.flatMap(([name, { columns }]) => (columns.has("organization_id") ? name : []));
}

const organizations = `string_to_array(current_setting('sluice.organizations', true), ',')`;
const view = `current_setting('sluice.view', true)`;

const findSecured = `
  SELECT relname FROM pg_class
  WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relrowsecurity`;

/** Gives every table its policy, unless it has one. */
export async function secureTables(
  transaction: Transaction,
  { citus }: { readonly citus: boolean },
): Promise<void> {
  const rows = await transaction.all<{ relname: string }>(findSecured);
  const secured = rows.map(({ relname }) => relname);
  const policies = rowSecurity(transaction.storeParts, { citus, secured });
  for (const policy of policies) await transaction.exec(policy);
}

/** The policies of the tables that have none, each as statements for one table. */
export function rowSecurity(
  parts: StoreParts,
  { citus, secured = [] }: { readonly citus: boolean; readonly secured?: readonly string[] },
): readonly string[] {
  return securedTables(parts)
    .filter((table) => !secured.includes(table))
    .map((table) => secure(table, { citus, isShared: table in distributedTables(parts) }));
}

export interface Sharing {
  readonly citus: boolean;
  /** Whether the table is distributed where there is Citus. */
  readonly isShared: boolean;
}

function secure(table: string, { citus, isShared }: Sharing): string {
  const { using, check } = policyOf(table, { citus });
  // Citus moves shards with the owner's permissions: if the policy applied to owners there, no shard could be moved.
  const force = citus && isShared ? "NO FORCE" : "FORCE";
  return `
    ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
    ALTER TABLE ${table} ${force} ROW LEVEL SECURITY;
    CREATE POLICY ${policyName} ON ${table}
      USING (${using}) WITH CHECK (${check});`;
}

export const policyName = "named_organizations";

export function policyOf(table: string, { citus }: { readonly citus: boolean }) {
  // A subquery, so that the setting is read once for each statement and not for each row. Citus does not support it.
  const once = (expression: string) => (citus ? expression : `(SELECT ${expression})`);
  const seeing = ["all", ...(viewsOf[table] ?? [])].map((name) => `'${name}'`).join(", ");
  const using = `organization_id = ANY (${once(organizations)}::text[]) OR ${once(view)} IN (${seeing})`;
  // An act that concerns no organization, such as a new receipt key, may be recorded in any transaction.
  const check = table === "audit_entry" ? `${using} OR organization_id IS NULL` : using;
  return { using, check };
}

const readSecured = `SELECT row_security_active('record') AS secured`;

/** False for a superuser and for a role with BYPASSRLS. */
export async function isSecured(transaction: Transaction): Promise<boolean> {
  return (await transaction.get<{ secured: boolean }>(readSecured))?.secured === true;
}
