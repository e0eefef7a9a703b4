// The chain of the audit trail: the text of an entry, whose hash is in the next one, and which entry may follow. Used
// for stores and for files of the trail.

import { invalid } from "./json/codec.ts";
import {
  type ChainCut,
  type ChainHead,
  cutsCodec,
  type RestoreEntry,
} from "./deletion/ledger-entry.ts";

export interface AuditRow {
  readonly entry_no: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly organization_id: string | null;
  readonly subject: string;
  readonly detail: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/** The end of the chain, to which the next entry is tied. */
export type AuditHead = Pick<AuditRow, "entry_no" | "hash">;

export const emptyChain: AuditHead = { entry_no: 0, hash: "0".repeat(64) };

export function toHead({ entry_no: no, hash }: AuditHead): ChainHead {
  return { no, hash };
}

/** A JSON list of all columns but the hash, which is its SHA-256 in hex; the detail is the stored text. */
export function textOfAuditRow(row: Omit<AuditRow, "hash">): string {
  const { previous_hash, entry_no, at, actor, action, organization_id, subject, detail } = row;
  const list = [previous_hash, entry_no, at, actor, action, organization_id, subject, detail];
  return JSON.stringify(list);
}

/** The action of the entry that records where a restore cut the chains. */
export const restoreAction = "store.restore";

/** True if the numbers and hashes allow this row after the previous one. Does not compute the hash of the row. */
export function mayFollow(row: AuditRow, previous: AuditHead): boolean {
  if (row.previous_hash !== previous.hash) return false;
  if (row.entry_no === previous.entry_no + 1) return true;
  const cut = cutOf(row)?.audit;
  return (
    cut?.restored.no === previous.entry_no &&
    cut.restored.hash === previous.hash &&
    numberAfter(cut) === row.entry_no
  );
}

/** True if the chain ended with `last` when a restore cut it, and continues after `next`. */
export function isCut(
  { restored, known }: ChainCut,
  { last, next }: Readonly<Record<"last" | "next", ChainHead>>,
): boolean {
  if (known.no !== next.no || known.hash !== next.hash || next.no <= last.no) return false;
  return restored.no === last.no && restored.hash === last.hash;
}

/** The number of the entry that records a cut: no number is used twice. */
export function numberAfter({ restored, known }: ChainCut): number {
  return Math.max(restored.no, known.no) + 1;
}

/** Where a restore cut the chains; undefined for any other entry. */
export function cutOf(
  row: Pick<AuditRow, "action" | "detail" | "entry_no" | "hash">,
): Omit<RestoreEntry, "kind" | "at" | "by"> | undefined {
  if (row.action !== restoreAction) return undefined;
  const cuts = cutsCodec.read(JSON.parse(row.detail));
  return cuts === invalid ? undefined : { entry: toHead(row), ...cuts };
}
