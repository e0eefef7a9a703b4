// Edits of single values and removals of single rows, in the tables and columns that `check`
// covers.

import type { DatabaseSync } from "node:sqlite";
import type { Random } from "../support/random.ts";

/** None of the tables has binary columns. */
type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

/**
 * By table: its key, and its columns that `check` does not cover, as docs/guides/erasure.md says.
 */
const covered: Readonly<Record<string, { readonly key: string; readonly not: readonly string[] }>> =
  {
    audit_entry: { key: "entry_no", not: [] },
    audit_head: { key: "single", not: ["single"] },
    deletion: {
      key: "deletion_request_id",
      not: [
        "due_at",
        "attempts",
        "waiting_for",
        "held",
        "next_attempt_at",
        "floor_until",
        "lease_until",
        "claimant",
        "plan_end",
        "cursor",
      ],
    },
    hold: { key: "hold_id", not: [] },
    organization: {
      key: "organization_id",
      not: ["created_at", "closed_at", "deletion_request_id"],
    },
    operator: {
      key: "name",
      not: ["operator_id", "created_at", "disabled_at", "unconfirmed_since", "unconfirmed_by"],
    },
    proposal: {
      key: "proposal_id",
      not: ["state", "proposed_by", "proposed_at", "expires_at", "decided_at"],
    },
    // The scene has one organization with floors.
    retention_floor: { key: "resource_type", not: [] },
    receipt: { key: "receipt_no", not: [] },
    receipt_head: { key: "single", not: ["single"] },
    receipt_key: { key: "key_id", not: [] },
    ledger: { key: "ledger_id", not: ["noted_at"] },
  };

/** A counter of an erasure in progress. */
const inFlux: ReadonlySet<string> = new Set(["erased", "redacted"]);

const tables = Object.keys(covered);

/** Returns what was done; undefined if there was nothing to alter. */
export function editValue(database: DatabaseSync, random: Random): string | undefined {
  const table = random.pick(tables);
  const { key = "", not = [] } = covered[table] ?? {};
  const rows = readRows(database, table, key);
  const row = random.pick(rows);
  const names = Object.keys(row).filter(
    (name) => !not.includes(name) && !(row["status"] === "processing" && inFlux.has(name)),
  );
  const column = random.pick(names);
  const before = row[column] ?? null;
  const value = changed(random, before, { rows, column });
  if (value === before) return undefined;
  try {
    database
      .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`)
      .run(value, row[key] ?? null);
  } catch {
    // A unique index, or a column that can't be empty.
    return undefined;
  }
  return `${table}.${column} of ${String(row[key])}: ${show(before)} to ${show(value)}`;
}

export function removeRow(database: DatabaseSync, random: Random): string | undefined {
  const table = random.pick(tables);
  const { key = "" } = covered[table] ?? {};
  const rows = readRows(database, table, key);
  // Often the last one, which no other follows.
  const row = random.chance(0.4) ? rows.at(-1) : random.pick(rows);
  const id = row?.[key] ?? null;
  database.prepare(`DELETE FROM ${table} WHERE ${key} = ?`).run(id);
  return `the row ${String(id)} of ${table} is removed`;
}

function readRows(database: DatabaseSync, table: string, key: string): readonly Row[] {
  return database.prepare(`SELECT * FROM ${table} ORDER BY ${key}`).all() as readonly Row[];
}

/** The value of another row, or a similar one. */
function changed(
  random: Random,
  value: Value,
  { rows, column }: { readonly rows: readonly Row[]; readonly column: string },
): Value {
  const others = rows.map((row) => row[column] ?? null).filter((other) => other !== value);
  if (others.length > 0 && random.chance(0.4)) return random.pick(others);
  if (typeof value === "number") return value + random.pick([-1, 1, 1_000]);
  if (value === null) return random.pick(["2027-01-31", "x", 5]);
  const text = value;
  const at = random.integer(0, Math.max(0, text.length - 1));
  const sign = String.fromCodePoint((text.codePointAt(at) ?? 96) + 1);
  return random.pick([
    text.slice(0, at) + sign + text.slice(at + 1),
    text.slice(0, at) + text.slice(at + 1),
    `${text}x`,
    "",
  ]);
}

function show(value: Value): string {
  return JSON.stringify(value).slice(0, 60);
}
