// Compares the ledger outside the store with the store: both have the same receipts, holds, floors and restores, and
// the chains of the store contain every signed head. This finds even a consistent rewrite of the store, unless its
// author has the key.

import { limits } from "../../domain/limits.ts";
import {
  type DeletionEntry,
  type HeadsEntry,
  type ChainCut,
  entryOfReceipt,
} from "../../domain/deletion/ledger-entry.ts";
import type { LedgerMark } from "../../store/interface/replay.ts";
import type { App } from "../app.ts";
import { type Difference, Facts } from "../ledger/fact.ts";
import { factsOfLedger, storedFacts } from "../ledger/facts.ts";
import type { TrailRead } from "./check-trail.ts";
import type { Findings } from "./findings.ts";
import { type HeadsCheck, makeHeadsCheck } from "./heads-check.ts";
import { isDeepStrictEqual } from "node:util";
import { NumberSet } from "../../basics/number-set.ts";
import type { AuditEntry } from "../../domain/access.ts";
import type { StoredReceipt } from "../../store/interface/deletion.ts";
import { receiptPages } from "../pages.ts";

/** Returns notes. `trail` is undefined if the trail could not be read. */
export async function checkLedger(
  app: App,
  findings: Findings,
  trail: TrailRead | undefined,
): Promise<readonly string[]> {
  const marks = await app.store.replay.listLedgerMarks();
  if (!app.ledger.exists()) return describeMissing(app, findings, marks);
  const restores = trail?.restores ?? [];
  const heads = await makeHeadsCheck(app, findings);
  const receipts = makeLedgerReceipts(app, findings, restores);
  const { facts, ...read } = await readLedger(app, { heads, receipts, marks });
  const { last: noted, count } = heads.end(restores);
  await receipts.end(noted?.receipts.no ?? 0);
  const organizations = await app.store.listOrganizations();
  const organizationIds = new Set(["", ...organizations.map((one) => one.organizationId)]);
  for await (const difference of facts.differences(storedFacts(app))) {
    const { fact } = difference;
    // A restore has cut off its creation; the trail states every organization of the store.
    if (!organizationIds.has(fact.setting?.organizationId ?? "")) continue;
    // Entries of the audit trail after the last heads are not in the ledger yet.
    if ((trail?.facts.lastNo(fact) ?? 0) > (noted?.audit.no ?? 0)) continue;
    findings.add(`${fact.name} ${describe(difference)}.`);
  }
  compareMark(app, findings, { ...read, isKnown: count > 1 });
  return [...describeOthers(marks, read.ledgerId), ...(await describeRest(app, noted))];
}

async function describeMissing(
  { store, ledger }: App,
  findings: Findings,
  marks: readonly LedgerMark[],
): Promise<readonly string[]> {
  const { receiptNo } = await store.receiptHead();
  const text = `There is no ledger of deletions at ${ledger.path}`;
  if (!store.traits.isServer) {
    if (marks.length > 0 || receiptNo > 0) findings.add(`${text}, but there was one before.`);
    return [];
  }
  return [`${text}; checks that need it were skipped.`];
}

interface LedgerRead {
  readonly ledgerId: string | undefined;
  /** What the store knows about this ledger, and whether the ledger still contains it. */
  readonly mark: LedgerMark | undefined;
  readonly isMarkSeen: boolean;
}

async function readLedger(
  { ledger }: App,
  parts: {
    readonly heads: HeadsCheck;
    readonly receipts: LedgerReceipts;
    readonly marks: readonly LedgerMark[];
  },
): Promise<LedgerRead & { readonly facts: Facts }> {
  const { heads, receipts, marks } = parts;
  const facts = new Facts();
  const page: DeletionEntry[] = [];
  let ledgerId: string | undefined;
  let previousDigest: string | undefined;
  let mark: LedgerMark | undefined;
  let isMarkSeen = false;
  for await (const { entries, digest, end } of ledger.readParts()) {
    for (const entry of entries) {
      if (entry.kind === "begin") ({ ledgerId } = entry);
      else if (entry.kind === "deletion") page.push(entry);
      else if (entry.kind === "heads") await heads.addHeads(entry, previousDigest);
      else if (entry.kind === "restore") heads.addRestore(entry);
      else facts.add(factsOfLedger(entry));
    }
    if (page.length >= limits.ledgerEntriesAtOnce) await receipts.check(page.splice(0));
    previousDigest = digest ?? previousDigest;
    mark = marks.find((one) => one.ledgerId === ledgerId);
    if (mark?.end === end && mark.digest === digest) isMarkSeen = true;
  }
  await receipts.check(page);
  return { facts, ledgerId, mark, isMarkSeen };
}

function compareMark(
  { ledger: { path } }: App,
  findings: Findings,
  { mark, isMarkSeen, isKnown }: LedgerRead & { readonly isKnown: boolean },
): void {
  if (mark === undefined && isKnown) {
    findings.add(`The store no longer knows the ledger of deletions ${path}.`);
  }
  if (mark !== undefined && !isMarkSeen) {
    findings.add(
      `The ledger of deletions ${path} differs from what the store knows of it up to byte ${mark.end}: its end is ` +
        "missing or was changed.",
    );
  }
}

function describeOthers(
  marks: readonly LedgerMark[],
  ownId: string | undefined,
): readonly string[] {
  const others = marks.filter(({ ledgerId }) => ledgerId !== ownId);
  return others.slice(0, 5).map(({ ledgerId, notedAt }) => {
    const when = new Date(notedAt).toISOString();
    return `Another ledger, ${ledgerId}, was last updated ${when}; it is not the one in DATA_DIR.`;
  });
}

async function describeRest(
  { store }: App,
  noted: HeadsEntry | undefined,
): Promise<readonly string[]> {
  const { no } = await store.trail.head();
  if (noted === undefined) {
    // A store that was never served has no key.
    if ((await store.listReceiptKeys()).length === 0) return [];
    return ["The ledger has no signed heads; no part of the audit trail is signed yet."];
  }
  if (no <= noted.audit.no) return [];
  const since = new Date(noted.at).toISOString();
  const count = no - noted.audit.no;
  const entries = count === 1 ? "1 audit entry is" : `${count} audit entries are`;
  return [`${entries} newer than the last signed heads, of ${since}.`];
}

function describe({ is, fact: { about } }: Difference): string {
  if (about === "hold" && is === "missing")
    return "is in force in the ledger, but not in the store";
  if (about === "hold" && is === "unstated") return "is in the store, but not in the ledger";
  if (about === "hold" && is === "ended") {
    return "is released in the ledger, and in force in the store";
  }
  return "differs between the ledger and the store";
}

type LedgerReceipts = ReturnType<typeof makeLedgerReceipts>;

/** `restores`: the entries of the audit trail that say which receipts a restore removed. */
function makeLedgerReceipts(app: App, findings: Findings, restores: readonly AuditEntry[]) {
  const cuts = restores.map(({ detail }) => detail["receipts"] as ChainCut);
  const seen = new NumberSet();

  async function check(page: readonly DeletionEntry[]): Promise<void> {
    if (page.length === 0) return;
    const ids = [...new Set(page.map(({ deletionRequestId }) => deletionRequestId))];
    const { trail } = app.store;
    const [stored, rows] = await Promise.all([trail.findReceipts(ids), trail.findDeletions(ids)]);
    const receipts = new Map(stored.map((one) => [one.receipt.deletion_request_id, one]));
    const known = new Set(rows.map(({ deletionRequestId }) => deletionRequestId));
    for (const entry of page) {
      const { deletionRequestId: id, completed } = entry;
      if (!known.has(id)) {
        findings.add(`Deletion ${id} is in the ledger, but not in the store.`);
      } else if (completed !== undefined) {
        checkReceipt(entry, completed.receiptNo, receipts.get(id));
      }
    }
  }

  function checkReceipt(entry: DeletionEntry, no: number, stored: StoredReceipt | undefined): void {
    seen.add([no]);
    const id = entry.deletionRequestId;
    if (stored === undefined) {
      findings.add(`Receipt ${no} of deletion ${id} is in the ledger, but not in the store.`);
      return;
    }
    const expected = entryOfReceipt(stored.receipt, stored.hash);
    if (isDeepStrictEqual(expected, entry)) return;
    const wasCut = cuts.some(({ restored, known }) => no > restored.no && no <= known.no);
    // A replay gave it a later receipt, or a newer backup that was restored afterwards has an earlier one.
    if (wasCut && stored.receipt.receipt_no !== no) return;
    findings.add(`Receipt ${no} of deletion ${id} differs between the ledger and the store.`);
  }

  /** Every receipt up to the one in the last signed heads must be in the ledger. */
  async function end(notedNo: number): Promise<void> {
    if (notedNo === 0) return;
    for await (const page of receiptPages(app, 0)) {
      for (const { receipt } of page) {
        const { receipt_no: no } = receipt;
        if (no > notedNo) return;
        if (!seen.has(no)) {
          findings.add(`Receipt ${no} is in the store, but not in the ledger.`);
        }
      }
    }
  }

  return { check, end };
}
