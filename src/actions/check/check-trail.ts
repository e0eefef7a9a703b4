// Compares the audit trail with the tables: each deletion is in the state of its last entry and is for the record that
// was requested; the trail and the tables state the same holds, retention floors, settings,
// operators, proposals and public keys of receipts.

import { hash as digest } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { AuditEntry } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { textOfRequest } from "../../domain/trail-action.ts";
import type { StoredReceipt } from "../../store/interface/deletion.ts";
import type { App } from "../app.ts";
import { type Difference, type Fact, Facts } from "../ledger/fact.ts";
import { factsOfAudit, factsOfKey, storedFacts } from "../ledger/facts.ts";
import { storedAccess } from "../ledger/access-facts.ts";
import { auditPages } from "../pages.ts";
import type { Findings } from "./findings.ts";

export interface TrailRead {
  /** The entries of the restores that cut the chains. */
  readonly restores: readonly AuditEntry[];
  readonly facts: Facts;
}

export async function checkTrail(app: App, findings: Findings): Promise<TrailRead> {
  const { trail } = app.store;
  const read = { restores: new Array<AuditEntry>(), facts: new Facts() };
  const states = new DeletionStates(findings);
  for await (const page of auditPages(app)) {
    const ids = [...new Set(page.filter(isOfDeletion).map(({ subject }) => subject))];
    const [rows, stored] = await Promise.all([trail.findDeletions(ids), trail.findReceipts(ids)]);
    const deletions = new Map(rows.map((one) => [one.deletionRequestId, one]));
    const receipts = new Map(stored.map((one) => [one.receipt.deletion_request_id, one]));
    for (const entry of page) {
      const { action, subject: id } = entry;
      if (isOfDeletion(entry)) states.compare(entry, deletions.get(id), receipts.get(id));
      else if (action === "store.restore") read.restores.push(entry);
      else if (action === "organization.close") states.close(id);
      else read.facts.add(factsOfAudit(entry));
    }
  }
  states.end();
  for await (const difference of read.facts.differences(allFacts(app))) {
    findings.add(`${difference.fact.name} ${describe(difference)}.`);
  }
  return read;
}

async function* allFacts(app: App): AsyncGenerator<Fact> {
  yield* storedFacts(app);
  for (const key of await app.store.listReceiptKeys()) yield* factsOfKey(key);
  yield* storedAccess(app);
}

function describe({ is, fact: { about } }: Difference): string {
  if (about === "key" && is === "missing") return "is in the audit trail, but not in the store";
  if (about !== "hold") return "differs from the one in the audit trail";
  if (is === "altered") {
    return "differs from the hold that was placed: it was altered in the store";
  }
  if (is === "missing") return "is in force in the audit trail, but not in the store";
  return "is in force in the store, but not in the audit trail";
}

function isOfDeletion({ action }: AuditEntry): boolean {
  return action.startsWith("deletion.");
}

type Stored = StoredReceipt | undefined;

/** For each action of an entry: how a deletion contradicts it, whatever entries follow; undefined if it does not. */
const contradictions: Readonly<
  Record<string, (entry: AuditEntry, deletion: Deletion, stored: Stored) => string | undefined>
> = {
  "deletion.cancel": (_, { status }) =>
    status === "cancelled" ? undefined : `was cancelled, but is ${status}`,
  "deletion.approve": ({ at, actor }, { approval }) => {
    const isSame = approval?.approvedAt === at && approval.approvedBy === actor;
    return isSame ? undefined : `was approved by ${actor}, but is not`;
  },
  "deletion.start": ({ at }, { status, startedAt }) => {
    if (status === "pending" || status === "cancelled") return `was started, but is ${status}`;
    return startedAt === at ? undefined : "was started at another time";
  },
  "deletion.complete": ({ detail }, { status }, stored) => {
    if (status !== "completed") return `was completed, but is ${status}`;
    const { receiptNo, receiptHash } = detail;
    const isSame = stored?.hash === receiptHash && stored?.receipt.receipt_no === receiptNo;
    if (receiptNo === undefined || isSame) return undefined;
    return `was completed with receipt ${JSON.stringify(receiptNo)}, and has another`;
  },
};

function contradictRequest(entry: AuditEntry, deletion: Deletion): readonly string[] {
  if (!isRequest(entry)) return [];
  const isSame = digest("sha256", textOfRequest(deletion)) === entry.detail["request"];
  const { requester } = deletion.approval ?? {};
  const isOther = requester !== undefined && requester !== approvalRequesterOf(entry);
  return [
    ...(isSame ? [] : ["is not what was requested"]),
    ...(isOther ? [otherApproval] : []),
    ...(deletion.requester === operatorOf(entry, deletion) ? [] : ["has another requester"]),
  ];
}

/** The operator whom the organization does not see. That of a restricted set is opened by the worker. */
function operatorOf({ action, actor }: AuditEntry, deletion: Deletion): string | undefined {
  const isHidden = actor !== deletion.requestedBy && deletion.restrictedOf === undefined;
  return action === "deletion.request" && isHidden ? actor : undefined;
}

function isRequest({ action, detail: { request, inserted } }: AuditEntry): boolean {
  return typeof request === "string" && (action === "deletion.request" || inserted === true);
}

function approvalRequesterOf({ actor, detail }: AuditEntry): string | undefined {
  return detail["needsApproval"] === true ? actor : undefined;
}

const otherApproval = "needs another approval than was requested";

interface ExplainedState {
  readonly isIn: (deletion: Deletion) => boolean;
  /** The action of the entries that explain the state, if there are any. */
  readonly action: string;
  readonly explains?: (entry: AuditEntry, deletion: Deletion) => boolean;
  readonly finding: string;
}

/** The states of a deletion that an entry after its request has to explain. */
const explainedStates: readonly ExplainedState[] = [
  {
    isIn: ({ approval }) => approval?.approvedAt !== undefined,
    action: "deletion.approve",
    finding: "is approved in the store, but not in the audit trail",
  },
  {
    isIn: ({ status }) => status === "cancelled",
    action: "deletion.cancel",
    finding: "is cancelled in the store, but not in the audit trail",
  },
  {
    isIn: ({ processedBefore }) => processedBefore !== undefined,
    action: "deletion.reopen",
    explains: ({ detail }, { processedBefore }) =>
      isDeepStrictEqual(processedBefore, detail["carriedOutBefore"]),
    finding: "was replayed in the store, but not according to the audit trail",
  },
];

class DeletionStates {
  readonly #findings: Findings;
  /** The ids of the deletions whose state no entry has explained so far. */
  readonly #unexplained = explainedStates.map((state) => ({ ...state, ids: new Set<string>() }));
  /** Deletions that no longer wait for their approval according to the store, with their organizations. */
  readonly #unapproved = new Map<string, string | undefined>();
  readonly #closedOrganizations = new Set<string>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  compare(entry: AuditEntry, deletion: Deletion | undefined, stored: Stored): void {
    const { action, subject: id } = entry;
    if (deletion === undefined) {
      this.#findings.add(`Deletion ${id} is in the audit trail, but not in the store.`);
      return;
    }
    for (const fault of contradictRequest(entry, deletion)) this.#alter(id, fault);
    const needsApproval = isRequest(entry) && approvalRequesterOf(entry) !== undefined;
    if (needsApproval && deletion.approval === undefined) {
      this.#unapproved.set(id, entry.organizationId);
    }
    for (const { isIn, action: explaining, explains, ids } of this.#unexplained) {
      if (action === "deletion.request" && isIn(deletion)) ids.add(id);
      if (action !== explaining) continue;
      if (explains?.(entry, deletion) === false) ids.add(id);
      else ids.delete(id);
    }
    const fault = contradictions[action]?.(entry, deletion, stored);
    if (fault !== undefined) this.#alter(id, fault);
  }

  close(organizationId: string): void {
    this.#closedOrganizations.add(organizationId);
  }

  end(): void {
    for (const [id, organizationId = ""] of this.#unapproved) {
      // The erasure of an organization leaves these deletions nothing to erase.
      if (!this.#closedOrganizations.has(organizationId)) this.#alter(id, otherApproval);
    }
    for (const { ids, finding } of this.#unexplained) {
      for (const id of ids) this.#findings.add(`Deletion ${id} ${finding}.`);
    }
  }

  #alter(id: string, fault: string): void {
    this.#findings.add(`Deletion ${id} ${fault}: it was altered in the store.`);
  }
}
