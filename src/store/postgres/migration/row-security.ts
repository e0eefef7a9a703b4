// Row-level security: which rows a transaction may see and write, by the settings that it begins with (scope.ts). Owners
// are held to it too; superusers are not, which is why the service is to run as an ordinary role.

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
};

/** A select of its own, so that the setting is read once a statement and not once a row. */
const named = `(SELECT string_to_array(current_setting('sluice.organizations', true), ','))::text[]`;
const view = `(SELECT current_setting('sluice.view', true))`;

/** Receipts came with a later schema than the others. */
export const rowSecurity = Object.entries(securedTables)
  .filter(([table]) => table !== "receipt")
  .map(secure)
  .join("");
export const receiptSecurity = secure(["receipt", securedTables["receipt"] ?? []]);

function secure([table, views]: readonly [string, readonly View[]]): string {
  const seeing = ["all", ...views].map((name) => `'${name}'`).join(", ");
  const allowed = `organization_id = ANY (${named}) OR ${view} IN (${seeing})`;
  // An act that is about no organization, such as a new key for receipts, is noted in the trail from wherever it is done.
  const writable = table === "audit_entry" ? `${allowed} OR organization_id IS NULL` : allowed;
  return `
    ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
    ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
    CREATE POLICY named_organizations ON ${table}
      USING (${allowed}) WITH CHECK (${writable});`;
}
