// The tables that a move copies, in the order of copying. Their columns are those of PostgreSQL in the schema; a test
// compares them with the real tables of both engines. A migration that adds a column has to add it here.

import type { ColumnKind, MovedTable } from "../../interface/move.ts";
import { readTables } from "../schema.ts";

/**
 * Credentials come last, and deletions shortly before: a process that serves the target by mistake accepts no caller
 * and has nothing to process.
 */
const names: readonly string[] = [
  "record",
  "change",
  "relation",
  "hold",
  "retention_floor",
  "idempotent_reply",
  "receipt_key",
  "receipt",
  "audit_entry",
  "ledger",
  "deletion",
  "deletion_target",
  "restricted_reference",
  "pseudonym",
  "organization",
  "operator",
  "operator_passkey",
  "api_key",
  "access_token",
];

const kinds: Readonly<Record<string, ColumnKind>> = {
  text: "text",
  bigint: "number",
  bytea: "bytes",
  boolean: "flag",
};

const tables = readTables();

export const movedTables: readonly MovedTable[] = names.map((name) => {
  const { key = [], types = new Map<string, string>() } = tables.get(name) ?? {};
  const columns = Array.from(types, ([column, type]) => [column, kinds[type] ?? "text"] as const);
  return { name, key, columns: Object.fromEntries(columns) };
});
