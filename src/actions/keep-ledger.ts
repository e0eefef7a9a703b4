// Keeps the ledger outside the store: deletions before they are completed and after, holds, and the signed heads of the audit
// chain and of the chain of receipts. Tells by it whether the store was rolled back. Completes nothing itself.

import { canonicalJson } from "../domain/json/canonical-json.ts";
import type { AuditEntry } from "../domain/access.ts";
import type { Deletion } from "../domain/deletion/deletion.ts";
import { limits } from "../domain/limits.ts";
import {
  type ChainHead,
  entryOfReceipt,
  type HeadsEntry,
  headsToSign,
  type LedgerEntry,
} from "../domain/deletion/ledger-entry.ts";
import type { LedgerState, SealHeads } from "../store/ledger.ts";
import type { App } from "./app.ts";
import { OperatorError } from "./operator-error.ts";

/** Before deletions are completed, so that there is never one that the ledger does not know. */
export async function noteCompleting(
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

/**
 * Notes every receipt and every hold that the store has and the ledger lacks, also those of other processes, and the heads of
 * both chains. Throws OperatorError ledger_ahead if the store does not go on from what was noted before: then nothing of it is
 * signed.
 */
export async function catchUpLedger(app: App): Promise<void> {
  const { store, ledger } = app;
  const state = await ledger.state();
  const [audit, receipts] = await Promise.all([store.trail.head(), store.receiptHead()]);
  const isNoted = state.auditAnchor?.no === audit.no && state.lastReceiptNo >= receipts.receiptNo;
  if (isNoted && state.heads !== undefined) return;
  await noteReceipts(app, { after: state.lastReceiptNo, upTo: receipts.receiptNo });
  if (state.heads === undefined) await noteAllHolds(app);
  const last = await noteHoldsSince(app, { anchor: state.auditAnchor, upTo: audit });
  const { receiptNo: no, hash, storeId } = receipts;
  await ledger.note(last, sealHeads(app, { storeId, audit, receipts: { no, hash } }));
}

/** Beside what `catchUpLedger` does, the store learns how far the ledger reaches. */
export async function keepLedger(app: App): Promise<void> {
  await catchUpLedger(app);
  const { ledgerId, lastFrame } = await app.ledger.state();
  if (ledgerId === undefined || lastFrame === undefined) return;
  const { replay } = app.store;
  const known = (await replay.listLedgerMarks()).find((mark) => mark.ledgerId === ledgerId);
  if (known !== undefined && known.end >= lastFrame.end) return;
  await replay.markLedger({ ledgerId, ...lastFrame, notedAt: app.now() });
}

async function noteReceipts(
  { store, ledger }: App,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<void> {
  for (let last = after; last < upTo;) {
    const kept = await store.listReceipts(last, limits.ledgerEntriesAtOnce);
    const wanted = kept.filter(({ receipt }) => receipt.receipt_no <= upTo);
    await ledger.note(wanted.map(({ receipt, hash }) => entryOfReceipt(receipt, hash)));
    const end = wanted.at(-1);
    if (end === undefined) return;
    last = end.receipt.receipt_no;
  }
}

/** For a ledger that begins: the trail may tell of holds in a form that an earlier version wrote. */
async function noteAllHolds({ store, ledger }: App): Promise<void> {
  const limit = limits.holdsListedAtOnce;
  for (let after: string | undefined; ;) {
    const holds = await store.holds.list({ after, limit });
    await ledger.note(holds.map((hold) => ({ kind: "hold_placed", hold })));
    if (holds.length < limit) return;
    after = holds.at(-1)?.holdId;
  }
}

interface TrailPart {
  /** The last link that was noted; undefined for a ledger that begins. */
  readonly anchor: ChainHead | undefined;
  readonly upTo: ChainHead;
}

const beforeFirst: ChainHead = { no: 0, hash: "0".repeat(64) };

/** Goes along the trail, which has to lead from the anchor to its end. Gives the entries that are still to be noted. */
async function noteHoldsSince(
  app: App,
  { anchor, upTo }: TrailPart,
): Promise<readonly LedgerEntry[]> {
  if (!(await isInTrail(app, anchor))) throw ledgerAhead(app);
  let last = anchor ?? beforeFirst;
  let entries: readonly LedgerEntry[] = [];
  while (last.no < upTo.no) {
    await app.ledger.note(entries);
    const all = await app.store.listAudit(last.no, limits.ledgerEntriesAtOnce);
    const page = all.filter(({ entryNo }) => entryNo <= upTo.no);
    const end = page.at(-1);
    if (end === undefined || !isChain(page, last.hash)) throw ledgerAhead(app);
    entries = await holdEntriesOf(app, page);
    last = { no: end.entryNo, hash: end.hash };
  }
  if (last.no !== upTo.no || last.hash !== upTo.hash) throw ledgerAhead(app);
  return entries;
}

/** Whether each entry names the hash of the one before; `sluice check` looks closer. */
function isChain(page: readonly AuditEntry[], before: string): boolean {
  let previous = before;
  return page.every(({ previousHash, hash }) => {
    const follows = previous === previousHash;
    previous = hash;
    return follows;
  });
}

async function holdEntriesOf(
  { store }: App,
  page: readonly AuditEntry[],
): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (const { action, at, actor, detail } of page) {
    const { holdId } = detail;
    if (typeof holdId !== "string") continue;
    if (action === "hold.release") entries.push({ kind: "hold_released", holdId, at, by: actor });
    if (action !== "hold.place") continue;
    // One that was released meanwhile needs no entry: the release has one.
    const hold = await store.holds.find(holdId);
    if (hold !== undefined) entries.push({ kind: "hold_placed", hold });
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

/**
 * Whether the store lacks what the ledger knows that it had, because an earlier state of it was put back: the last head of the
 * audit chain, the last receipt, or a deletion that was about to be completed.
 */
export async function wasRolledBack(app: App): Promise<boolean> {
  const { store, ledger } = app;
  if ((await store.replay.restoreState()) !== undefined) return true;
  const { auditAnchor, lastReceipt, underWay } = await ledger.state();
  if (!(await isInTrail(app, auditAnchor))) return true;
  if (!(await hasReceipt(app, lastReceipt))) return true;
  const ids = underWay.map(({ deletionRequestId }) => deletionRequestId);
  const known = ids.length === 0 ? [] : await store.trail.findDeletions(ids);
  return known.length < new Set(ids).size;
}

async function isInTrail({ store }: App, link: ChainHead | undefined): Promise<boolean> {
  if (link === undefined || link.no === 0) return true;
  const [entry] = await store.listAudit(link.no - 1, 1);
  return entry?.entryNo === link.no && entry.hash === link.hash;
}

async function hasReceipt({ store }: App, link: ChainHead | undefined): Promise<boolean> {
  if (link === undefined) return true;
  const [kept] = await store.listReceipts(link.no - 1, 1);
  return kept?.receipt.receipt_no === link.no && kept.hash === link.hash;
}

/** Why the ledger is not the one that the store knows to have been written; undefined if it is. */
export async function findLostLedger({ store, ledger }: App): Promise<string | undefined> {
  const state: LedgerState = await ledger.state();
  const marks = await store.replay.listLedgerMarks();
  // A first append that a crash has torn is all that there may be of a ledger that the store does not know.
  const isGarbage = state.bytes === 0 && state.tornBytes > 0 && marks.length > 0;
  const mark = isGarbage ? marks[0] : marks.find(({ ledgerId }) => ledgerId === state.ledgerId);
  if (mark === undefined) return undefined;
  const { end = 0, digest = "" } = state.lastFrame ?? {};
  if (end > mark.end || (end === mark.end && digest === mark.digest)) return undefined;
  return (
    `The ledger of deletions ${ledger.path} is not what the store knows it to have been up to byte ${mark.end}: its end was ` +
    "cut off or changed, or an older copy was put in its place. Put the newest copy back. If there is none, keep the file " +
    "elsewhere, and start without it: a new ledger is then begun from the receipts and holds in the store."
  );
}

export function ledgerAhead({ ledger }: Pick<App, "ledger">): OperatorError {
  return new OperatorError(
    "ledger_ahead",
    `The store lacks what its ledger of deletions (${ledger.path}) knows that it had: it is older than its ledger, as after ` +
      "a backup was put back, or its audit trail was altered. Deletions that were completed since then may not be carried " +
      "out in it, so nothing reads it. Run `sluice deletion replay` first; it says in the audit trail what was lost.",
  );
}
