// Updates the ledger outside the store: deletions before and after they are completed, cancelled ones, holds, retention
// floors, and the signed heads of the audit trail and of the receipts. Detects with it whether the store was rolled
// back. Completes nothing itself.

import { canonicalJson } from "../../domain/json/canonical-json.ts";
import type { AuditEntry } from "../../domain/access.ts";
import { restoreAction } from "../../domain/audit-chain.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import {
  beforeFirst,
  type ChainHead,
  cutsCodec,
  entryOfReceipt,
  type HeadsEntry,
  headsToSign,
  type LedgerEntry,
  type RestoreEntry,
} from "../../domain/deletion/ledger-entry.ts";
import { invalid } from "../../domain/json/codec.ts";
import type { LedgerState, SealHeads } from "../../store/interface/ledger.ts";
import type { App } from "../app.ts";
import { factsOfAudit } from "./facts.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { auditPages, receiptPages } from "../pages.ts";
import { settingsOf } from "./settings.ts";

/** Call before deletions are completed, so that the ledger contains every completed deletion. */
export async function recordInLedger(
  { ledger }: App,
  deletions: readonly Deletion[],
): Promise<void> {
  await ledger.note(
    deletions.map((deletion) => ({
      kind: "deletion",
      organizationId: deletion.organizationId,
      deletionRequestId: deletion.deletionRequestId,
      resourceType: deletion.resourceType,
      resourceId: deletion.resourceId,
      requestedBy: deletion.requestedBy,
      requestedAt: deletion.requestedAt,
    })),
  );
}

/** Adds what the store has and the ledger lacks. Throws OperatorError ledger_ahead, and signs nothing, if it lags. */
export async function catchUpLedger(app: App): Promise<void> {
  const { store, ledger } = app;
  const state = await ledger.state();
  const [audit, receipts] = await Promise.all([store.trail.head(), store.receiptHead()]);
  const isNoted =
    state.auditAnchor?.hash === audit.hash && state.lastReceiptNo >= receipts.receiptNo;
  if (isNoted && state.heads !== undefined) return;
  // This comes first, so that no receipt of an earlier state of the store gets into the ledger.
  if (!(await store.replay.continues(state))) throw ledgerAhead(app);
  await noteReceipts(app, { after: state.lastReceiptNo, upTo: receipts.receiptNo });
  // A new ledger, or one of a store state before a restore, may lack entries that the trail already contains.
  const after = state.heads === undefined ? undefined : state.auditAnchor;
  const last = await noteTrailSince(app, { after, upTo: audit });
  const { receiptNo: no, hash, storeId } = receipts;
  await ledger.note(last, sealHeads(app, { storeId, audit, receipts: { no, hash } }));
}

/** Does the same as `catchUpLedger`, and stores how far the ledger reaches. */
export async function keepLedger(app: App): Promise<void> {
  await catchUpLedger(app);
  const { replay } = app.store;
  const marks = await replay.listLedgerMarks();
  const { ledgerId, lastFrame } = await app.ledger.state();
  const known = marks.find((mark) => mark.ledgerId === ledgerId);
  if (known !== undefined && known.end >= (lastFrame?.end ?? 0)) return;
  // A power cut must not lose a frame that the store knows; another process may not have synced the last one yet.
  const synced = await app.ledger.sync();
  if (synced.ledgerId === undefined || synced.lastFrame === undefined) return;
  await replay.markLedger({ ...synced.lastFrame, ledgerId: synced.ledgerId, notedAt: app.now() });
}

async function noteReceipts(
  app: App,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<void> {
  if (after >= upTo) return;
  for await (const page of receiptPages(app, after)) {
    const wanted = page.filter(({ receipt }) => receipt.receipt_no <= upTo);
    await app.ledger.note(wanted.map(({ receipt, hash }) => entryOfReceipt(receipt, hash)));
    if ((page.at(-1)?.receipt.receipt_no ?? upTo) >= upTo) return;
  }
}

interface TrailPart {
  /** The entry to begin after; undefined for all of the trail. */
  readonly after: ChainHead | undefined;
  readonly upTo: ChainHead;
}

/** Follows the trail from that entry to `upTo`. Returns the entries that the ledger lacks. */
async function noteTrailSince(
  app: App,
  { after, upTo }: TrailPart,
): Promise<readonly LedgerEntry[]> {
  let last = after ?? beforeFirst;
  let entries: readonly LedgerEntry[] = [];
  for await (const all of auditPages(app, last.no)) {
    if (last.no >= upTo.no) break;
    await app.ledger.note(entries);
    const page = all.filter(({ entryNo }) => entryNo <= upTo.no);
    const end = page.at(-1);
    if (end === undefined || !isChain(page, last.hash)) break;
    entries = await entriesOf(app, page);
    // A ledger that has none of the trail, or continues after a restore, does not need earlier ones.
    if (after !== undefined) entries = [...entries, ...page.flatMap((one) => restoreOf(one) ?? [])];
    last = { no: end.entryNo, hash: end.hash };
  }
  if (last.no !== upTo.no || last.hash !== upTo.hash) throw ledgerAhead(app);
  return entries;
}

/** Whether each entry has the hash of the previous one; `sluice check` verifies more. */
function isChain(page: readonly AuditEntry[], before: string): boolean {
  let previous = before;
  return page.every(({ previousHash, hash }) => {
    const follows = previous === previousHash;
    previous = hash;
    return follows;
  });
}

/** The entry of the ledger for that of the audit trail; undefined if it is about something else. */
export function restoreOf(audited: AuditEntry): RestoreEntry | undefined {
  const { action, actor: by, at, entryNo: no, hash, detail } = audited;
  const cuts = action === restoreAction ? cutsCodec.read(detail) : invalid;
  return cuts === invalid ? undefined : { kind: "restore", at, by, entry: { no, hash }, ...cuts };
}

async function entriesOf(
  { store }: App,
  page: readonly AuditEntry[],
): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (const entry of page) {
    const { action, at, actor: by, detail, subject } = entry;
    if (action === "deletion.cancel") {
      entries.push({ kind: "deletion_cancelled", deletionRequestId: subject, at, by });
    }
    const [fact] = factsOfAudit(entry);
    const stated = fact?.floor ?? settingsOf(entry);
    if (stated !== undefined) entries.push(stated);
    const { holdId } = detail;
    if (typeof holdId !== "string") continue;
    // If a hold has been released since, only the entry of its release is needed; if a restore has placed it again,
    // only that entry.
    const hold = await store.holds.find(holdId);
    if (action === "hold.place" && hold !== undefined) entries.push({ kind: "hold_placed", hold });
    if (action === "hold.release" && hold === undefined) {
      const because = typeof detail["because"] === "string" ? detail["because"] : undefined;
      entries.push({ kind: "hold_released", holdId, at, by, because });
    }
  }
  return entries;
}

function sealHeads(app: App, heads: Pick<HeadsEntry, "storeId" | "audit" | "receipts">): SealHeads {
  return ({ ledgerId, digest }) => {
    const signer = app.signer();
    if (signer === undefined) return undefined;
    const { keyId } = signer;
    const entry = {
      kind: "heads",
      at: app.now(),
      ...heads,
      ledgerId,
      ledger: digest,
      keyId,
    } as const;
    return { ...entry, signature: signer.sign(canonicalJson(headsToSign(entry))) };
  };
}

/** Whether the store lacks what the ledger knows it had: then an earlier state was put back. */
export async function wasRolledBack({ store, ledger }: App): Promise<boolean> {
  if ((await store.replay.restoreState()) !== undefined) return true;
  return !(await store.replay.continues(await ledger.state()));
}

/**
 * How the ledger differs from what the store knows about it; undefined if it does not. The marks are read first: a
 * frame is marked after it is synced, so a ledger that is read later contains every marked frame, whatever other
 * processes append meanwhile.
 */
export async function findLostLedger({ store, ledger }: App): Promise<string | undefined> {
  const marks = await store.replay.listLedgerMarks();
  const state: LedgerState = await ledger.state();
  // A ledger without entries is acceptable only if the store knows none.
  const isGarbage = state.bytes === 0 && ledger.exists() && marks.length > 0;
  const mark = isGarbage ? marks[0] : marks.find(({ ledgerId }) => ledgerId === state.ledgerId);
  if (mark === undefined) return undefined;
  const { end = 0, digest = "" } = state.lastFrame ?? {};
  if (end > mark.end || (end === mark.end && digest === mark.digest)) return undefined;
  return (
    `The ledger of deletions ${ledger.path} differs from what the store knows of it up to byte ${mark.end}: its end was ` +
    "cut off or changed, or it was replaced by an older copy. Put the newest copy back. If there is none, move the file " +
    "elsewhere and start without it: a new ledger is then created from the receipts and holds in the store."
  );
}

export function ledgerAhead({ ledger }: Pick<App, "ledger">): OperatorError {
  return new OperatorError(
    "ledger_ahead",
    `The store lacks entries that its ledger of deletions (${ledger.path}) has: either a backup was ` +
      "put back without a replay, or the audit trail was altered. It may contain records that were erased since, so nothing " +
      "reads it. Replay the deletions first; the audit trail then records what was lost.",
  );
}
