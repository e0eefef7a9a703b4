// Everything that `check` compares: the store with itself, its audit trail with its tables, its receipts with its
// deletions, and all of them with the ledger outside the store. Repairs nothing. SECURITY.md names what it can't find.

import { dayMs } from "../../basics/duration.ts";
import { isUnavailable } from "../../domain/error.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { deletionOfSet } from "../../domain/deletion/restricted-set.ts";
import type { ErasureReport } from "../../store/interface/store.ts";
import type { App } from "../app.ts";
import { reasonOf } from "../operator/operator-error.ts";
import { requireRight } from "../operator/viewer.ts";
import { deletionPages, receiptPages, setPages } from "../pages.ts";
import { checkLedger } from "./check-ledger.ts";
import { checkTrail } from "./check-trail.ts";
import { Findings } from "./findings.ts";
import { isDeepStrictEqual } from "node:util";
import {
  aloneNo,
  makeReceiptBody,
  type Receipt,
  type ReceiptBody,
} from "../../domain/deletion/receipt.ts";
import { countsOf } from "../../domain/deletion/receipt-count.ts";
import { hashCounts, hashApproval, hashBasis } from "../receipt/receipt-counts.ts";
import { publishReceiptKeys } from "../receipt/receipt-keys.ts";
import { verifyReceipts } from "../receipt/verify-receipt.ts";

interface CheckReport {
  readonly findings: readonly string[];
  readonly notes: readonly string[];
}

/** Other processes may write meanwhile, so a finding counts only if it is found twice. */
export async function checkStore(app: App): Promise<CheckReport> {
  requireRight(app, "store.check");
  const first = await checkOnce(app);
  if (first.findings.length === 0) return first;
  const again = await checkOnce(app);
  const before = new Set(first.findings);
  return { ...again, findings: again.findings.filter((finding) => before.has(finding)) };
}

export async function checkErasure(app: App): Promise<ErasureReport> {
  requireRight(app, "store.check");
  return app.store.checkErasure();
}

async function checkOnce(app: App): Promise<CheckReport> {
  const findings = new Findings();
  const { findings: broken, notes: known = [] } = await app.store.checkIntegrity();
  findings.add(...broken);
  const trail = await attempt(findings, "The audit trail", () => checkTrail(app, findings));
  await attempt(findings, "The receipts", () => checkReceipts(app, findings));
  await attempt(findings, "The deletions", () => checkDeletions(app, findings));
  await attempt(findings, "The restricted store", () => checkRestricted(app, findings));
  const notes = await attempt(findings, "The ledger", () => checkLedger(app, findings, trail));
  return { findings: findings.list, notes: [...known, ...(notes ?? [])] };
}

/** A part that can't be read is a finding too: somebody may have written invalid data there. */
async function attempt<Result>(
  findings: Findings,
  what: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isUnavailable(error)) throw error;
    findings.add(`${what} could not be checked completely: ${reasonOf(error)}`);
    return undefined;
  }
}

// Compares deletions with their receipts: every completed deletion has a receipt, and no other deletion has a field
// that only a completion sets.

async function checkDeletions(app: App, findings: Findings): Promise<void> {
  for await (const page of deletionPages(app)) {
    const ids = page.map(({ deletionRequestId }) => deletionRequestId);
    const stored = await app.store.trail.findReceipts(ids);
    const receipted = new Set(stored.map(({ receipt }) => receipt.deletion_request_id));
    for (const deletion of page) {
      const { deletionRequestId: id } = deletion;
      const fault = findFault(deletion, receipted.has(id));
      if (fault !== undefined) findings.add(`Deletion ${id} ${fault}.`);
    }
  }
}

function findFault(deletion: Deletion, hasReceipt: boolean): string | undefined {
  const { status, startedAt, completedAt, redacted } = deletion;
  const { erased, kept, redactedByType } = deletion;
  if (status === "completed") return hasReceipt ? undefined : "is completed, but has no receipt";
  if (completedAt !== undefined) return `is ${status}, but has a time of completion`;
  if (status === "processing") return undefined;
  const counts = { ...erased, ...kept, ...redactedByType };
  const isUntouched = startedAt === undefined && redacted === 0 && Object.keys(counts).length === 0;
  return isUntouched ? undefined : `is ${status}, but has been started`;
}

// Compares restricted sets with their deletions: every set has a deletion that will erase it, and no such deletion is
// overdue.

/** A set is not overdue before this time: the service may have been stopped. */
const overdueMs = dayMs;

async function checkRestricted(app: App, findings: Findings): Promise<void> {
  for (const { set, status } of await app.store.restricted.findStraySets()) {
    const fault = status === undefined ? "is unknown" : `is ${status}`;
    findings.add(`There are records in the restricted set ${set}, and its deletion ${fault}.`);
  }
  for await (const page of setPages(app, undefined)) {
    const movers = page.map(({ deletionRequestId: id }) => deletionOfSet(id) ?? "");
    const deletions = await app.store.trail.findDeletions(movers);
    const ids = new Set(deletions.map(({ deletionRequestId }) => deletionRequestId));
    for (const deletion of page) {
      const { deletionRequestId: set } = deletion;
      if (!ids.has(deletionOfSet(set) ?? "")) {
        findings.add(`The deletion that filled the restricted set ${set} is unknown.`);
      }
      if (isOverdue(deletion, app.now())) {
        const end = new Date(deletion.floorUntil ?? deletion.dueAt).toISOString();
        findings.add(`The restricted set ${set} was to be erased at ${end}, but was not.`);
      }
    }
  }
}

/** Uses the end that the last evaluation found. */
function isOverdue({ status, floorUntil = Infinity }: Deletion, now: number): boolean {
  return status === "pending" && floorUntil < now - overdueMs;
}

// Compares receipts with their signatures and with the rows of their deletions.

async function checkReceipts(app: App, findings: Findings): Promise<void> {
  const published = await publishReceiptKeys(app);
  const saltKey = await app.store.receiptSaltKey();
  for await (const page of receiptPages(app)) {
    const receipts = page.map(({ receipt }) => receipt);
    const ids = receipts.map(({ deletion_request_id: id }) => id);
    const rows = await app.store.trail.findDeletions(ids);
    const deletions = new Map(rows.map((row) => [row.deletionRequestId, row]));
    for (const receipt of receipts) {
      // Receipts are verified one by one, because the chain and its gaps are checked elsewhere.
      const [verdict] = verifyReceipts([receipt], published);
      const fault = findRowFault(receipt, deletions.get(receipt.deletion_request_id), saltKey);
      for (const text of [...(verdict?.faults ?? []), ...(fault === undefined ? [] : [fault])]) {
        findings.add(`Receipt ${nameOf(receipt)}: ${text}`);
      }
    }
  }
}

function nameOf({ receipt_no: no, deletion_request_id: id }: Receipt): string {
  return no === aloneNo ? `of ${id}` : String(no);
}

function findRowFault(
  receipt: Receipt,
  deletion: Deletion | undefined,
  saltKey: string,
): string | undefined {
  const { deletion_request_id: id } = receipt;
  if (deletion === undefined) return `its deletion ${id} is not in the store.`;
  if (deletion.status !== "completed") return `its deletion ${id} is ${deletion.status}.`;
  const said = flatten(receipt);
  const row = flatten(makeExpected(deletion, receipt, saltKey));
  const names = Object.keys(row).filter((name) => !isDeepStrictEqual(said[name], row[name]));
  if (hasUnknownReferences(deletion)) names.push("references_removed");
  if (names.length === 0) return undefined;
  return `its deletion ${id} differs in ${names.join(", ")}: it was altered in the store.`;
}

function makeExpected(deletion: Deletion, receipt: Receipt, saltKey: string): ReceiptBody {
  const { completedAt = 0 } = deletion;
  const { store_id: storeId, receipt_no: no, previous_receipt: hash } = receipt;
  const types = Object.keys(receipt.counts);
  const counts = countsOf(deletion);
  const named = Object.values(counts).flatMap((byType) => Object.keys(byType));
  const isKnown = named.every((type) => types.includes(type));
  return makeReceiptBody(
    { ...deletion, completedAt },
    {
      head: { storeId, receiptNo: no - 1, hash },
      engine: receipt.verification,
      keyId: receipt.key_id,
      // Receipts from before this feature name nobody.
      hashApproval: () => receipt.approval && hashApproval(deletion, receipt, saltKey),
      hashBasis: () => hashBasis(deletion, receipt, saltKey),
      hashCounts: () => (isKnown ? hashCounts(counts, receipt, { saltKey, types }) : {}),
    },
  );
}

/** The members that come from the deletion. How it was verified is signed, and stored nowhere else. */
function flatten({ asked, ...body }: ReceiptBody): Readonly<Record<string, unknown>> {
  const { by: requested_by, at: requested_at, ...record } = asked;
  const { organization_id, started_at, completed_at, carried_out_again, counts, approval } = body;
  const times = { requested_at, started_at, completed_at };
  const told = { carried_out_again, counts, approval };
  return { organization_id, ...record, requested_by, ...times, ...told };
}

/** True if references of unknown types were removed. No receipt contains the total of all types. */
function hasUnknownReferences({ redacted, redactedByType }: Deletion): boolean {
  const sum = Object.values(redactedByType).reduce<number>((total, one) => total + (one ?? 0), 0);
  return redacted !== sum;
}
