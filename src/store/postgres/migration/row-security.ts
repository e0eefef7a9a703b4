// Row-level security: which rows a transaction may see and write, by the settings that it begins with (scope.ts). Owners
// are held to it too, but for the shards of a cluster; superusers are not, so the service is to run as an ordinary role.

import { distributedTables } from "../citus.ts";
import type { View } from "../scope.ts";

/** Every table that holds an organization's data, and the views besides `all` that reach it. */
export const securedTables: Readonly<Record<string, readonly View[]>> = {
  organization: ["credentials"],
  api_key: ["credentials"],
  access_token: ["credentials"],
  record: [],
  change: [],
  relation: [],
  deletion: ["deletions"],
  deletion_target: [],
  hold: [],
  idempotent_reply: [],
  audit_entry: [],
  receipt: ["deletions"],
  replay_entry: [],
};

const organizations = `string_to_array(current_setting('sluice.organizations', true), ',')`;
const view = `current_setting('sluice.view', true)`;

export interface Securing {
  readonly citus: boolean;
}

/** These came with later schemas than the others. */
const later: ReadonlySet<string> = new Set(["receipt", "replay_entry"]);

export function rowSecurity(options: Securing): string {
  const tables = Object.entries(securedTables).filter(([table]) => !later.has(table));
  return tables.map(([table, views]) => secure(table, { ...options, views })).join("");
}

export function receiptSecurity(options: Securing): string {
  return secure("receipt", { ...options, views: securedTables["receipt"] ?? [] });
}

export function replaySecurity(options: Securing): string {
  return secure("replay_entry", { ...options, views: securedTables["replay_entry"] ?? [] });
}

function secure(
  table: string,
  { citus, views }: Securing & { readonly views: readonly View[] },
): string {
  // A select of its own, so that the setting is read once a statement and not once a row. Citus refuses it.
  const once = (expression: string) => (citus ? expression : `(SELECT ${expression})`);
  const seeing = ["all", ...views].map((name) => `'${name}'`).join(", ");
  const allowed = `organization_id = ANY (${once(organizations)}::text[]) OR ${once(view)} IN (${seeing})`;
  // An act that is about no organization, such as a new key for receipts, is noted in the trail from wherever it is done.
  const writable = table === "audit_entry" ? `${allowed} OR organization_id IS NULL` : allowed;
  // Citus moves a shard as a role that has what the owner has: where owners are held to it, no shard could be moved.
  const force = citus && table in distributedTables ? "NO FORCE" : "FORCE";
  return `
    ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
    ALTER TABLE ${table} ${force} ROW LEVEL SECURITY;
    CREATE POLICY named_organizations ON ${table}
      USING (${allowed}) WITH CHECK (${writable});`;
}
