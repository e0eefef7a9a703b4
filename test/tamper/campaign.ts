// Alters a store or its ledger in one place, repeatedly, each time from the same consistent state, runs `check` on it,
// and reports which alterations it did not find. Edits of the ledger: bytes, lines, its end, and frames that somebody
// without a key makes consistent again. Edits of single values and removals of single rows, in the tables and columns
// that `check` covers.

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../campaign/campaign.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { makeRandom, type Random } from "../support/random.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { cutReceipts, cutTrail, rewriteReceipts, rewriteTrail } from "./rewrite-chain.ts";
import { makeTamperScene } from "./scene.ts";
import { makeFrame, noDigest, parseFrame } from "../../src/store/ledger/ledger-frame.ts";

/** Edits, by kind. */
type Edits = Readonly<Record<string, number>>;
/** Whether anything is found in the folder. */
type Check = (folder: string) => Promise<boolean>;

export const tamper: Campaign<Edits> = {
  about: "alters a store, and reports which alterations `check` did not find",
  counts: "alterations",
  countDefault: 2_000,
  engines: ["sqlite"],
  run: (run) => alterMany(run, runCheck),
};

type Edit = (place: Place, random: Random) => string | undefined;

interface Place {
  readonly folder: string;
  readonly ledger: string;
}

const inDatabase =
  (edit: (database: DatabaseSync, random: Random) => string | undefined): Edit =>
  ({ folder }, random) => {
    const database = new DatabaseSync(join(folder, "sluice.db"), { defensive: false });
    try {
      database.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
      return edit(database, random);
    } finally {
      database.close();
    }
  };

const inLedger =
  (edit: (path: string, random: Random) => string | undefined): Edit =>
  ({ ledger }, random) =>
    edit(ledger, random);

/** With the relative frequency of each. */
const kinds: Readonly<Record<string, readonly [share: number, edit: Edit]>> = {
  "value of a row": [8, inDatabase(editValue)],
  "row removed": [4, inDatabase(removeRow)],
  "end of the trail": [1, inDatabase(cutTrail)],
  "rewritten trail": [2, inDatabase(rewriteTrail)],
  "last receipt": [1, inDatabase(cutReceipts)],
  "rewritten receipts": [1, inDatabase(rewriteReceipts)],
  "byte of the ledger": [2, inLedger(flipByte)],
  "line of the ledger": [1, inLedger(removeLine)],
  "end of the ledger": [1, inLedger(cutEnd)],
  "rewritten ledger": [2, inLedger(rewriteFrames)],
  "whole ledger": [0.1, inLedger(removeLedger)],
};

/** What the check does not find is a finding. */
export async function alterMany(run: CampaignRun, check: Check): Promise<CampaignOutcome<Edits>> {
  const isOver = makeLimit(run);
  const [consistent, backups] = [makeTempFolder(), makeTempFolder()];
  const edits: Record<string, number> = {};
  const missed: string[] = [];
  try {
    await makeTamperScene(consistent, backups);
    for (let done = 0; !isOver(done);) {
      const attempt = run.seed * 1_000_000 + done + missed.length;
      const random = makeRandom(attempt + done * 7_919);
      const outcome = await alterAndCheck(consistent, { random, check });
      done += 1;
      if (outcome === undefined) continue;
      edits[outcome.kind] = (edits[outcome.kind] ?? 0) + 1;
      if (!outcome.found) missed.push(`${outcome.kind}: ${outcome.what}`);
      if (done % 100 === 0) run.tell(`${done} edits, ${missed.length} missed`);
    }
  } finally {
    removeFolder(consistent);
    removeFolder(backups);
  }
  return { figures: edits, findings: missed };
}

interface Outcome {
  readonly kind: string;
  readonly what: string;
  readonly found: boolean;
}

/** Undefined where there was nothing to alter. */
async function alterAndCheck(
  consistent: string,
  { random, check }: { random: Random; check: Check },
): Promise<Outcome | undefined> {
  const folder = makeTempFolder();
  try {
    cpSync(consistent, folder, { recursive: true });
    const name = readdirSync(folder).find((found) => found.endsWith(".ndjson")) ?? "";
    const kind = pickKind(random);
    const [, edit] = kinds[kind] ?? [];
    const what = edit?.({ folder, ledger: join(folder, name) }, random);
    if (what === undefined) return undefined;
    return { kind, what, found: await check(folder) };
  } finally {
    removeFolder(folder);
  }
}

async function runCheck(folder: string): Promise<boolean> {
  return (await makeCommandLine({ folder }).type("check")).code !== 0;
}

function pickKind(random: Random): string {
  const all = Object.entries(kinds);
  const sum = all.reduce((total, [, [share]]) => total + share, 0);
  let at = random.next() * sum;
  for (const [kind, [share]] of all) {
    at -= share;
    if (at < 0) return kind;
  }
  return all[0]?.[0] ?? "";
}

function flipByte(path: string, random: Random): string {
  const bytes = readFileSync(path);
  const at = random.integer(0, bytes.length - 1);
  const bit = random.integer(0, 7);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  writeFileSync(path, bytes);
  return `bit ${bit} of byte ${at} of the ledger is flipped`;
}

function removeLine(path: string, random: Random): string {
  const lines = readLines(path);
  const at = random.chance(0.4) ? lines.length - 1 : random.integer(0, lines.length - 1);
  write(path, lines.toSpliced(at, 1));
  return `line ${at + 1} of ${lines.length} of the ledger is removed`;
}

function cutEnd(path: string, random: Random): string {
  const bytes = readFileSync(path);
  const count = random.integer(2, Math.min(5_000, bytes.length - 1));
  writeFileSync(path, bytes.subarray(0, bytes.length - count));
  return `the last ${count} bytes of the ledger are cut off`;
}

function removeLedger(path: string): string {
  rmSync(path);
  return "the ledger is removed";
}

/** An entry is changed or removed, and the digests of all frames after it are recomputed. */
function rewriteFrames(path: string, random: Random): string | undefined {
  const frames = readLines(path).map((line) => parseFrame(Buffer.from(line))?.json ?? "[]");
  const at = random.integer(0, frames.length - 1);
  const entries = JSON.parse(frames[at] ?? "[]") as Record<string, unknown>[];
  const which = random.integer(0, entries.length - 1);
  const entry = entries[which];
  if (entry === undefined) return undefined;
  const isRemoved = random.chance(0.5);
  const outer = random.pick(Object.keys(entry).filter((key) => key !== "kind"));
  // A completion and a hold are objects in their entries.
  const isNested = outer === "completed" || outer === "hold";
  const members = isNested ? (entry[outer] as Record<string, unknown>) : entry;
  const name = isNested ? random.pick(Object.keys(members)) : outer;
  const value = members[name];
  if (isRemoved) entries.splice(which, 1);
  else if (typeof value === "number") members[name] = value + 1;
  else if (typeof value === "string") members[name] = changeText(name, value);
  else return undefined;
  frames[at] = JSON.stringify(entries);
  let previous = noDigest;
  const lines = frames.map((json) => {
    const { bytes, digest } = makeFrame(json, previous);
    previous = digest;
    return bytes.toString().trimEnd();
  });
  write(path, lines);
  const what = isRemoved ? "is removed" : `gets another ${name}`;
  return `entry ${which} (${String(entry["kind"])}) in line ${at + 1} of the ledger ${what}, and all frames fit`;
}

/** In the same form, so that the entry is still valid. */
function changeText(name: string, value: string): string {
  if (name === "resource_type") return value === "person" ? "company" : "person";
  if (/_at$|^at$/.test(name)) return new Date(Date.parse(value) + 1_000).toISOString();
  const last = value.at(-1) === "0" ? "1" : "0";
  return value.slice(0, -1) + last;
}

function readLines(path: string): readonly string[] {
  return readFileSync(path, "utf8").trimEnd().split("\n");
}

function write(path: string, lines: readonly string[]): void {
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
}

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
      not: ["created_at", "closed_at", "deletion_request_id", "writes_paused_until"],
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
function editValue(database: DatabaseSync, random: Random): string | undefined {
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

function removeRow(database: DatabaseSync, random: Random): string | undefined {
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
