// What a deletion erases and what it keeps, by the contract alone (section 7). Written without
// reference to src/domain/deletion/erasure.ts, so that the two can agree only by being right.

import type { Fields } from "../support/record-generator.ts";
import { type AskedDeletion, type SentRecord, sortedJson, textOf } from "./ledger.ts";

/**
 * Marks what a completed deletion erased as erased, and redacts references to it from what stays.
 */
export function applyErasure({ target, family, late }: AskedDeletion): void {
  const gone = findErased(target, family);
  const names = new Set([...gone].map(({ type, id }) => `${type.resourceType}/${id}`));
  for (const record of family) {
    if (gone.has(record)) eraseChanges(record);
    else redactChanges(record, names);
  }
  for (const change of late) if (change.standing === "stored") change.standing = "unknown";
}

/** How many records of each type are erased, without those that may have arrived too late. */
export function countGone({ target, family }: AskedDeletion): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of findErased(target, family)) {
    counts[type.resourceType] = (counts[type.resourceType] ?? 0) + 1;
  }
  return counts;
}

/** The target, and at any depth what belongs to nothing else that stays. */
function findErased(target: SentRecord, family: readonly SentRecord[]): ReadonlySet<SentRecord> {
  const gone = new Set([target]);
  const names = new Set([`${target.type.resourceType}/${target.id}`]);
  const belongings = new Map(family.map((record) => [record, belongsTo(record)]));
  for (let before = 0; before !== gone.size;) {
    before = gone.size;
    for (const [record, holders] of belongings) {
      if (gone.has(record) || holders.size === 0 || !isStored(record)) continue;
      if (![...holders].every((holder) => names.has(holder))) continue;
      gone.add(record);
      names.add(`${record.type.resourceType}/${record.id}`);
    }
  }
  return gone;
}

function isStored({ changes }: SentRecord): boolean {
  return changes.some(({ standing }) => standing === "stored");
}

/** By all changes together: what any of them said still holds. */
function belongsTo({ type, changes }: SentRecord): ReadonlySet<string> {
  const holders = new Set<string>();
  for (const change of changes) {
    if (change.standing !== "stored") continue;
    const payload = JSON.parse(textOf(change)) as Fields;
    for (const { field, to, kind } of type.relations) {
      if (kind !== "belongs") continue;
      for (const id of [payload[field]].flat())
        if (typeof id === "string") holders.add(`${to}/${id}`);
    }
  }
  return holders;
}

function eraseChanges({ changes }: SentRecord): void {
  for (const change of changes) if (change.standing === "stored") change.standing = "erased";
}

function redactChanges({ type, changes }: SentRecord, gone: ReadonlySet<string>): void {
  for (const change of changes) {
    if (change.standing !== "stored") continue;
    const payload = JSON.parse(textOf(change)) as Fields;
    for (const { field, to } of type.relations) {
      const value = payload[field];
      if (Array.isArray(value)) payload[field] = value.filter((id) => !gone.has(`${to}/${id}`));
      else if (gone.has(`${to}/${String(value)}`)) delete payload[field];
    }
    const text = sortedJson(payload);
    if (text !== textOf(change)) change.texts.push(text);
  }
}
