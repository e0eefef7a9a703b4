// Compares the audit trail with the tables: each deletion is in the state of its last entry and is for the record that
// was requested; the trail and the tables name the same holds, retention floors and public keys of receipts.

import { hash as digest } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { AuditEntry } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { textOfRequest } from "../../domain/trail-text.ts";
import type { StoredReceipt } from "../../store/interface/receipt.ts";
import type { App } from "../app.ts";
import {
  type Difference,
  type Fact,
  factOfAudit,
  Facts,
  factsOfKey,
  storedFacts,
} from "../ledger/facts.ts";
import { auditPages } from "../pages.ts";
import type { Findings } from "./findings.ts";

export interface TrailRead {
  /** The entries of the restores that cut the chains. */
  readonly restores: readonly AuditEntry[];
  readonly facts: Facts;
}

export async function checkTrail(app: App, findings: Findings): Promise<TrailRead> {
  const { store } = app;
  const reading = new TrailReading(findings);
  for await (const page of auditPages(app)) {
    const ids = [...new Set(page.filter(isOfDeletion).map(({ subject }) => subject))];
    const [deletions, receipts] = await Promise.all([
      store.trail.findDeletions(ids),
      store.trail.findReceipts(ids),
    ]);
    reading.add(page, { deletions, receipts });
  }
  reading.endDeletions();
  for await (const difference of reading.facts.differences(allFacts(app))) {
    findings.add(`${difference.fact.name} ${describe(difference)}.`);
  }
  return reading;
}

async function* allFacts(app: App): AsyncGenerator<Fact> {
  yield* storedFacts(app);
  for (const key of await app.store.listReceiptKeys()) yield* factsOfKey(key);
}

function describe({ is, fact: { about } }: Difference): string {
  if (about === "key" && is === "missing") return "is in the audit trail, and not in the store";
  if (about !== "hold") return "differs from the one in the audit trail";
  if (is === "altered") {
    return "differs from the hold that was placed: it was altered in the store";
  }
  if (is === "missing") return "is in force in the audit trail, and not in the store";
  return "is in force in the store, and not in the audit trail";
}

function isOfDeletion({ action }: AuditEntry): boolean {
  return action.startsWith("deletion.");
}

interface PageRows {
  readonly deletions: readonly Deletion[];
  readonly receipts: readonly StoredReceipt[];
}

class TrailReading implements TrailRead {
  readonly restores: AuditEntry[] = [];
  readonly facts = new Facts();
  /** States of deletions for which no entry was read yet. */
  readonly #unexplained = {
    cancelled: new Set<string>(),
    replayed: new Set<string>(),
    approved: new Set<string>(),
  };
  /** Deletions that the store no longer lets wait for their approval, with their organizations. */
  readonly #unapproved = new Map<string, string | undefined>();
  readonly #closedOrganizations = new Set<string>();
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  add(page: readonly AuditEntry[], rows: PageRows): void {
    const deletions = new Map(rows.deletions.map((one) => [one.deletionRequestId, one]));
    const receipts = new Map(rows.receipts.map((one) => [one.receipt.deletion_request_id, one]));
    for (const entry of page) {
      if (isOfDeletion(entry)) {
        const deletion = deletions.get(entry.subject);
        this.#addDeletion(entry, deletion, receipts.get(entry.subject));
      } else if (entry.action === "store.restore") {
        this.restores.push(entry);
      } else if (entry.action === "organization.close") {
        this.#closedOrganizations.add(entry.subject);
      } else {
        this.facts.add(factOfAudit(entry));
      }
    }
  }

  endDeletions(): void {
    const { cancelled, replayed, approved } = this.#unexplained;
    for (const id of approved) {
      this.#findings.add(`Deletion ${id} is approved in the store, and not in the audit trail.`);
    }
    for (const [id, organizationId = ""] of this.#unapproved) {
      // The erasure of an organization leaves these deletions nothing to erase.
      if (!this.#closedOrganizations.has(organizationId)) this.#alter(id, otherApproval);
    }
    for (const id of cancelled) {
      this.#findings.add(`Deletion ${id} is cancelled in the store, and not in the audit trail.`);
    }
    for (const id of replayed) {
      this.#findings.add(
        `Deletion ${id} has been replayed in the store, and not so in the audit trail.`,
      );
    }
  }

  #addDeletion(
    entry: AuditEntry,
    deletion: Deletion | undefined,
    receipt: StoredReceipt | undefined,
  ): void {
    const { action, detail, subject: id } = entry;
    if (deletion === undefined) {
      this.#findings.add(`Deletion ${id} is in the audit trail, and not in the store.`);
      return;
    }
    const { request, inserted } = detail;
    const isRequest = action === "deletion.request" || inserted === true;
    if (isRequest && typeof request === "string") {
      const asked = digest("sha256", textOfRequest(deletion));
      if (asked !== request) this.#alter(id, "is not what was requested");
      const { requester } = deletion.approval ?? {};
      const stated = detail["needsApproval"] === true ? entry.actor : undefined;
      if (requester === undefined && stated !== undefined) {
        this.#unapproved.set(id, entry.organizationId);
      } else if (requester !== stated) this.#alter(id, otherApproval);
    }
    this.#explain(entry, deletion);
    const fault = findStateFault(entry, deletion, receipt);
    if (fault !== undefined) this.#alter(id, fault);
  }

  /** A later entry may explain what an earlier one does not. */
  #explain({ action, detail, subject: id }: AuditEntry, deletion: Deletion): void {
    const { cancelled, replayed, approved } = this.#unexplained;
    const { status, processedBefore, approval } = deletion;
    const isApproved = approval?.approvedAt !== undefined;
    if (action === "deletion.request" && isApproved) approved.add(id);
    if (action === "deletion.approve") approved.delete(id);
    if (action === "deletion.request" && status === "cancelled") cancelled.add(id);
    if (action === "deletion.cancel") cancelled.delete(id);
    if (action === "deletion.request" && processedBefore !== undefined) replayed.add(id);
    if (action !== "deletion.reopen") return;
    if (isDeepStrictEqual(processedBefore, detail["carriedOutBefore"])) replayed.delete(id);
    else replayed.add(id);
  }

  #alter(id: string, fault: string): void {
    this.#findings.add(`Deletion ${id} ${fault}: it was altered in the store.`);
  }
}

const otherApproval = "needs another approval than was requested";

/** Returns how the deletion contradicts an entry, whatever entries follow; undefined if it does not. */
function findStateFault(
  { action, at, actor, detail }: AuditEntry,
  { status, startedAt, approval }: Deletion,
  stored: StoredReceipt | undefined,
): string | undefined {
  switch (action) {
    case "deletion.cancel":
      return status === "cancelled" ? undefined : `was cancelled, and is ${status}`;
    case "deletion.approve": {
      const isSame = approval?.approvedAt === at && approval.approvedBy === actor;
      return isSame ? undefined : `was approved by ${actor}, and is not`;
    }
    case "deletion.start":
      if (status === "pending" || status === "cancelled") return `was started, and is ${status}`;
      return startedAt === at ? undefined : "was started at another time";
    case "deletion.complete": {
      if (status !== "completed") return `was completed, and is ${status}`;
      const { receiptNo, receiptHash } = detail;
      if (receiptNo === undefined) return undefined;
      const isSame = stored?.hash === receiptHash && stored?.receipt.receipt_no === receiptNo;
      return isSame
        ? undefined
        : `was completed with receipt ${JSON.stringify(receiptNo)}, and has another`;
    }
    default:
      return undefined;
  }
}
