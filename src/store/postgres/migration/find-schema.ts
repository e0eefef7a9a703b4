// Finds the schema of the database that has the store, whatever the search path is: somebody may have changed it for
// the role or the database, and a new, empty store in another schema must not replace the existing one.

import { StoreError } from "../../interface/store-error.ts";
import type { Transaction } from "../transaction.ts";
import { lackingRights } from "./rights.ts";

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
  SELECT quote_ident(current_user) AS role, quote_ident(coalesce(current_schema(), 'public')) AS schema,
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
  const found = await transaction.all<Found>(findStores);
  const { role = "" } = (await transaction.get<{ role: string }>(readRole)) ?? {};
  const [store, another] = found;
  if (store === undefined) return undefined;
  if (another !== undefined && !store.visible) {
    throw new StoreError(
      `The schemas ${found.map(({ quoted }) => quoted).join(", ")} of the database each contain a store, and the ` +
        `search path names none of them. Name one: ALTER ROLE ${role} SET search_path = ${store.quoted};`,
    );
  }
  if (!store.usable) {
    throw lackingRights(role, [`GRANT USAGE ON SCHEMA ${store.quoted} TO ${role};`]);
  }
  if (!store.readable) {
    const statement = `GRANT SELECT ON ALL TABLES IN SCHEMA ${store.quoted} TO ${role};`;
    throw lackingRights(role, [statement]);
  }
  return store.name;
}

interface Creation {
  readonly role: string;
  readonly schema: string;
  readonly allowed: boolean;
  /** Whether the schema is one of the server's own. */
  readonly system: boolean;
}

/** Throws StoreError if the role can't create the tables of a new store. */
export async function requireCreation(transaction: Transaction): Promise<void> {
  const creation = await transaction.get<Creation>(describeCreation);
  if (creation === undefined) return;
  const { role, schema, allowed, system } = creation;
  if (system) {
    throw new StoreError(
      `The search path of the role ${role} begins with ${schema}, which is the server's own, so there is no place for a new ` +
        `store. Name another schema: ALTER ROLE ${role} SET search_path = public;`,
    );
  }
  if (allowed) return;
  throw lackingRights(role, [`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role};`], "database");
}
