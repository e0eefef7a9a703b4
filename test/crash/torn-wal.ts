// What a power cut could leave of the WAL, as far as it can be simulated without cutting power.
// A killed process loses nothing that the operating system already has, so SIGKILL does not reveal
// writes that were not synced. Here the files are copied while no process has them open, so the
// copy is consistent, and then the end of the WAL is cut off or loses sectors, as if writes had
// never reached the disk. What a checkpoint has copied into the database is never torn, because
// SQLite syncs the WAL before that. The simulated damage can include acknowledged writes, which a
// power cut can't lose: so nothing is concluded from what is lost,
// only that what is left is complete, that no request outlived an earlier one of the same sender,
// and that nothing exists that was not sent.

import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../support/random.ts";
import { removeFolder } from "../support/temp-folder.ts";
import { type Finding, isPresent } from "./compare.ts";
import { type Ledger, type SentChange, sortedJson, type Submission } from "./ledger.ts";
import type { SqliteSite } from "./sqlite/site.ts";
import { readStored, type Stored } from "./stored.ts";
import { openTestStore } from "../support/test-store.ts";

const walHeaderBytes = 32;
const frameHeaderBytes = 24;
const sectorBytes = 512;

/** Has to be called while no process has the store open. False if there is no WAL to tear. */
export async function checkTornWal(site: SqliteSite, random: Random): Promise<boolean> {
  // Beside the data, where `check` would find it.
  const folder = mkdtempSync(join(tmpdir(), "sluice-torn-"));
  const path = join(folder, "torn.db");
  const { findings } = site.ledger;
  const before = findings.length;
  const isTorn = copyTorn(site.databasePath, { path, random });
  if (isTorn) findings.push(...(await findFaults(site.ledger, path)));
  if (findings.length === before) removeFolder(folder);
  return isTorn;
}

/** Only the store: its ledger correctly reports that what the tear removed is missing. */
async function findFaults(ledger: Ledger, path: string): Promise<readonly string[]> {
  const store = await openTestStore(`sqlite:${path}`, { role: "command" });
  const { findings } = await store.checkIntegrity();
  await store.close();
  return [
    ...findings.map((finding) => `torn WAL: ${finding}`),
    ...compareTorn(ledger, readStored(path)).map(
      ({ kind, about, detail }) => `torn WAL: ${kind}: ${about}: ${detail.slice(0, 500)}`,
    ),
  ];
}

function copyTorn(source: string, { path, random }: { path: string; random: Random }): boolean {
  if (!existsSync(`${source}-wal`) || !existsSync(`${source}-shm`)) return false;
  const range = tearable(readFileSync(`${source}-wal`), readFileSync(`${source}-shm`));
  if (range === undefined) return false;
  copyFileSync(source, path);
  copyFileSync(`${source}-wal`, `${path}-wal`);
  const from = random.integer(range.from, range.to);
  if (random.chance(0.5)) truncateSync(`${path}-wal`, from);
  else loseSectors(`${path}-wal`, { from, to: range.to, random });
  return true;
}

/**
 * The bytes of the WAL that no checkpoint has used (sqlite.org/walformat.html, sections 2.2 and
 * 2.3).
 */
export function tearable(wal: Buffer, index: Buffer): { from: number; to: number } | undefined {
  if (wal.length < walHeaderBytes || index.length < 136) return undefined;
  const frameBytes = frameHeaderBytes + wal.readUInt32BE(8);
  const frames = index.readUInt32LE(16);
  const copied = Math.max(index.readUInt32LE(96), index.readUInt32LE(128));
  const from = walHeaderBytes + copied * frameBytes;
  const to = Math.min(wal.length, walHeaderBytes + frames * frameBytes);
  return from < to ? { from, to } : undefined;
}

function loseSectors(
  path: string,
  { from, to, random }: { from: number; to: number; random: Random },
): void {
  const file = openSync(path, "r+");
  const lost = Buffer.alloc(sectorBytes);
  let at = Math.ceil(from / sectorBytes) * sectorBytes;
  for (; at < to; at += sectorBytes)
    if (random.chance(0.5)) writeSync(file, lost, 0, sectorBytes, at);
  closeSync(file);
}

/** What holds for every earlier moment of the store. */
export function compareTorn(ledger: Ledger, stored: Stored): readonly Finding[] {
  const findings: Finding[] = stored.faults.map((detail) => ({
    kind: "integrity",
    about: "",
    detail,
  }));
  for (const [key, { payloads }] of stored.records) {
    const record = ledger.records.get(key);
    // An open deletion may already have redacted references in it.
    if (record?.disturbed === true) continue;
    const texts = new Set(record?.changes.flatMap((change) => change.texts));
    for (const payload of payloads) {
      const known = texts.delete(sortedJson(JSON.parse(payload)));
      if (!known) findings.push({ kind: "never sent", about: key, detail: payload });
    }
  }
  for (const [sender, sent] of Map.groupBy(ledger.recent, (submission) => submission.sender)) {
    findings.push(...comparePrefix(sender, sent, stored));
  }
  return findings;
}

/**
 * A sender that waits for each reply before its next request: what is stored is what it sent first.
 */
function comparePrefix(
  sender: string,
  sent: readonly Submission[],
  stored: Stored,
): readonly Finding[] {
  const findings: Finding[] = [];
  let missing: string | undefined;
  // A request that should write nothing names changes of earlier ones.
  for (const { ask, atomic, changes } of sent.filter(({ writeCount }) => writeCount !== 0)) {
    const wanted = changes.filter(
      (change) => change !== undefined && isComparable(change),
    ) as SentChange[];
    const present = wanted.filter((change) => isPresent(change, stored)).length;
    const about = `${sender}, ${ask.method} ${ask.path}`;
    if (atomic && present > 0 && present < wanted.length) {
      findings.push({ kind: "half", about, detail: `${present} of ${wanted.length} changes` });
    }
    if (missing !== undefined && present > 0) {
      findings.push({ kind: "order", about, detail: `is there, and before it ${missing} is not` });
    }
    if (present < wanted.length) missing ??= about;
  }
  return findings;
}

/** Not a rejected one, nor one that a deletion may have affected. */
function isComparable({ record, standing }: SentChange): boolean {
  return !record.disturbed && (standing === "stored" || standing === "unknown");
}
