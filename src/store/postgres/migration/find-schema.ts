// Finds the schema of the database that has the store, whatever the search path is: somebody may have changed it for
// the role or the database, and a new, empty store in another schema must not replace the existing one. Also checks the
// rights on tables that a serving process needs; the guide to PostgreSQL grants them to a role that owns no table.
// After an upgrade that adds tables, they have to be granted again.

import { StoreError } from "../../interface/store-error.ts";
import type { Transaction } from "../transaction.ts";
import type { StoreParts } from "../../sql/store-parts.ts";

/** The one on the search path comes first. */
const findStores = `
  SELECT nspname AS name, quote_ident(nspname) AS quoted,
    to_regclass('meta') IS NOT DISTINCT FROM meta.oid::regclass AS visible,
    has_schema_privilege(pg_namespace.oid, 'USAGE') AS usable,
    has_table_privilege(meta.oid, 'SELECT') AS readable
  FROM pg_class AS meta JOIN pg_namespace ON pg_namespace.oid = meta.relnamespace
  WHERE meta.relname = 'meta' AND meta.relkind = 'r'
    AND EXISTS (
      SELECT 1 FROM pg_class AS head
      WHERE head.relnamespace = meta.relnamespace AND head.relname = 'audit_head')
  ORDER BY visible DESC, name`;

const readRole = `SELECT quote_ident(current_user) AS role`;

const describeCreation = `
  SELECT quote_ident(coalesce(current_schema(), 'public')) AS schema,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS allowed,
    coalesce(current_schema() LIKE 'pg\\_%' OR current_schema() = 'information_schema', false) AS system`;

interface Found {
  readonly name: string;
  readonly quoted: string;
  readonly visible: boolean;
  readonly usable: boolean;
  readonly readable: boolean;
}

/** Undefined if there is no store yet. Throws StoreError, with the statements to run. */
export async function findSchema(transaction: Transaction): Promise<string | undefined> {
  const stores = await transaction.all<Found>(findStores);
  const [store, another] = stores;
  if (store === undefined) return undefined;
  if (another !== undefined && !store.visible) {
    const role = await findRole(transaction);
    throw new StoreError(
      `The schemas ${stores.map(({ quoted }) => quoted).join(", ")} of the database each contain a store, and the ` +
        `search path names none of them. Name one: ALTER ROLE ${role} SET search_path = ${store.quoted};`,
    );
  }
  if (!store.usable) throw await lackingRights(transaction, [`USAGE ON SCHEMA ${store.quoted}`]);
  if (!store.readable) {
    throw await lackingRights(transaction, [`SELECT ON ALL TABLES IN SCHEMA ${store.quoted}`]);
  }
  return store.name;
}

interface Creation {
  readonly schema: string;
  readonly allowed: boolean;
  /** Whether the schema is one of the server's own. */
  readonly system: boolean;
}

/** Throws StoreError if the role can't create the tables of a new store. */
export async function requireCreation(transaction: Transaction): Promise<void> {
  const creation = await transaction.get<Creation>(describeCreation);
  if (creation === undefined) return;
  const { schema, allowed, system } = creation;
  if (system) {
    const role = await findRole(transaction);
    throw new StoreError(
      `The search path of the role ${role} begins with ${schema}, which is the server's own, so there is no place for a new ` +
        `store. Name another schema: ALTER ROLE ${role} SET search_path = public;`,
    );
  }
  if (allowed) return;
  throw await lackingRights(transaction, [`USAGE, CREATE ON SCHEMA ${schema}`], "database");
}

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

const mayCount = `SELECT has_sequence_privilege('arrival', 'USAGE') AS allowed`;

/** Throws StoreError that has the statements to run. */
export async function requireRights(transaction: Transaction): Promise<void> {
  const grants: string[] = [];
  const require = (rights: string, lacking: { readonly names: string | null } | undefined) => {
    const { names = null } = lacking ?? {};
    if (names !== null) grants.push(`${rights} ON ${names}`);
  };
  const { storeParts: parts } = transaction;
  const tables = [...parts.tablesOn("postgres").keys()];
  require("SELECT", await transaction.get<{ names: string | null }>(findUnreadable, tables));
  for (const [rights, names] of Object.entries(rightsOfService(parts))) {
    const args = [names.split(" "), rights.split(", ")] as const;
    require(rights, await transaction.get<{ names: string | null }>(findLacking, ...args));
  }
  const sequence = await transaction.get<{ allowed: boolean }>(mayCount);
  if (sequence?.allowed !== true) grants.push("USAGE ON SEQUENCE arrival");
  if (grants.length > 0) throw await lackingRights(transaction, grants);
}

async function findRole(transaction: Transaction): Promise<string> {
  return (await transaction.get<{ role: string }>(readRole))?.role ?? "";
}

async function lackingRights(
  transaction: Transaction,
  grants: readonly string[],
  owned: "tables" | "database" = "tables",
): Promise<StoreError> {
  const role = await findRole(transaction);
  const statements = grants.map((grant) => `GRANT ${grant} TO ${role};`);
  return new StoreError(
    `The role ${role} lacks rights. Have the owner of the ${owned} run: ${statements.join(" ")}`,
  );
}
