// Alters a store or its ledger in one place, repeatedly, each time from the same consistent state, runs `check` on it,
// and reports which alterations it did not find.

import { cpSync, readdirSync } from "node:fs";
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
import { cutEnd, flipByte, removeLedger, removeLine, rewriteFrames } from "./edit-ledger.ts";
import { editValue, removeRow } from "./edit-table.ts";
import { cutReceipts, cutTrail, rewriteReceipts, rewriteTrail } from "./rewrite-chain.ts";
import { makeTamperScene } from "./scene.ts";

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
