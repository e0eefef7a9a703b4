// Compares the audit trail with the tables: each deletion is in the state of its last entry and is for the record that
// was requested; the trail and the tables name the same holds, retention floors and public keys of receipts.

import { hash as digest } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { AuditEntry, Hold } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { ReceiptKey } from "../../domain/deletion/receipt.ts";
import type { RetentionFloor } from "../../domain/retention/floor.ts";
import { textOfRecord, textOfRequest } from "../../domain/trail-text.ts";
import type { StoredReceipt } from "../../store/interface/trail.ts";
import type { App } from "../app.ts";
import { floorOfEntry, FloorStates } from "../retention/floor-states.ts";
import { auditPages, holdPages } from "../pages.ts";
import type { Findings } from "./findings.ts";

export interface TrailRead {
  /** The entries of restores, which cut the chains. */
  readonly restores: readonly AuditEntry[];
  /** Ids of holds that were released. */
  readonly released: ReadonlySet<string>;
  /** Numbers of the entries that placed the holds in force, by the id of the hold. */
  readonly placedBy: ReadonlyMap<string, number>;
  /** Retention floors, as the trail states them. */
  readonly floors: FloorStates;
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
  await compareHolds(app, reading, findings);
  compareFloors(await store.retention.listFloors(undefined), reading.floors, findings);
  compareKeys(await store.listReceiptKeys(), reading.keys, findings);
  return reading;
}

function isOfDeletion({ action }: AuditEntry): boolean {
  return action.startsWith("deletion.");
}

interface PageRows {
  readonly deletions: readonly Deletion[];
  readonly receipts: readonly StoredReceipt[];
}

interface AuditedKey {
  readonly created: AuditEntry;
  retiredAt: number | undefined;
}

class TrailReading implements TrailRead {
  readonly restores: AuditEntry[] = [];
  readonly released = new Set<string>();
  readonly placed = new Map<string, AuditEntry>();
  readonly keys = new Map<string, AuditedKey>();
  readonly floors = new FloorStates();
  /** States of deletions for which no entry was read yet. */
  readonly #unexplained = {
    cancelled: new Set<string>(),
    replayed: new Set<string>(),
    approved: new Set<string>(),
  };
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  get placedBy(): ReadonlyMap<string, number> {
    return new Map([...this.placed].map(([id, { entryNo }]) => [id, entryNo]));
  }

  add(page: readonly AuditEntry[], rows: PageRows): void {
    const deletions = new Map(rows.deletions.map((one) => [one.deletionRequestId, one]));
    const receipts = new Map(rows.receipts.map((one) => [one.receipt.deletion_request_id, one]));
    for (const entry of page) {
      if (isOfDeletion(entry)) {
        const deletion = deletions.get(entry.subject);
        this.#addDeletion(entry, deletion, receipts.get(entry.subject));
      } else {
        this.#addOther(entry);
      }
    }
  }

  endDeletions(): void {
    const { cancelled, replayed, approved } = this.#unexplained;
    for (const id of approved) {
      this.#findings.add(`Deletion ${id} is approved in the store, and not in the audit trail.`);
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
    }
    this.#explain(entry, deletion);
    const fault = findStateFault(entry, deletion, receipt);
    if (fault !== undefined) this.#alter(id, fault);
  }

  /** A later entry may explain what an earlier one does not. */
  #explain({ action, detail, subject: id }: AuditEntry, deletion: Deletion): void {
    const { cancelled, replayed, approved } = this.#unexplained;
    const { status, carriedOutBefore, approval } = deletion;
    const isApproved = approval?.approvedAt !== undefined;
    if (action === "deletion.request" && isApproved) approved.add(id);
    if (action === "deletion.approve") approved.delete(id);
    if (action === "deletion.request" && status === "cancelled") cancelled.add(id);
    if (action === "deletion.cancel") cancelled.delete(id);
    if (action === "deletion.request" && carriedOutBefore !== undefined) replayed.add(id);
    if (action !== "deletion.reopen") return;
    if (isDeepStrictEqual(carriedOutBefore, detail["carriedOutBefore"])) replayed.delete(id);
    else replayed.add(id);
  }

  #addOther(entry: AuditEntry): void {
    const { action, detail, subject, at } = entry;
    const { holdId } = detail;
    if (typeof holdId === "string" && action === "hold.place") this.placed.set(holdId, entry);
    if (typeof holdId === "string" && action === "hold.release") {
      this.placed.delete(holdId);
      this.released.add(holdId);
    }
    const floor = floorOfEntry(entry);
    if (floor !== undefined) this.floors.add(floor);
    if (action === "store.restore") this.restores.push(entry);
    if (action === "receipt_key.create") {
      this.keys.set(subject, { created: entry, retiredAt: undefined });
    }
    const key = action === "receipt_key.retire" ? this.keys.get(subject) : undefined;
    if (key !== undefined) key.retiredAt = at;
  }

  #alter(id: string, fault: string): void {
    this.#findings.add(`Deletion ${id} ${fault}: it was altered in the store.`);
  }
}

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

async function compareHolds(app: App, reading: TrailReading, findings: Findings): Promise<void> {
  const missing = new Set(reading.placed.keys());
  for await (const page of holdPages(app)) {
    for (const hold of page) {
      missing.delete(hold.holdId);
      const fault = findHoldFault(hold, reading.placed.get(hold.holdId));
      if (fault !== undefined) findings.add(`Hold ${hold.holdId} ${fault}.`);
    }
  }
  for (const id of missing) {
    findings.add(`Hold ${id} is in force in the audit trail, and not in the store.`);
  }
}

function findHoldFault(hold: Hold, entry: AuditEntry | undefined): string | undefined {
  if (entry === undefined) return "is in force in the store, and not in the audit trail";
  const { detail, subject, organizationId } = entry;
  const record = `${hold.resourceType} sha256:${digest("sha256", textOfRecord(hold))}`;
  const isSame =
    subject === record &&
    organizationId === hold.organizationId &&
    detail["reason"] === hold.reason &&
    detail["owner"] === (hold.owner ?? null) &&
    detail["reviewOn"] === (hold.reviewOn ?? null) &&
    detail["placedAt"] === hold.placedAt &&
    detail["placedBy"] === hold.placedBy;
  return isSame ? undefined : "differs from the hold that was placed: it was altered in the store";
}

function compareFloors(
  stored: readonly RetentionFloor[],
  stated: FloorStates,
  findings: Findings,
): void {
  for (const floor of [...stated.contradictedBy(stored), ...stated.unstated(stored)]) {
    findings.add(`${nameFloor(floor)} differs from the one in the audit trail.`);
  }
}

export function nameFloor({
  organizationId,
  resourceType,
}: Pick<RetentionFloor, "organizationId" | "resourceType">): string {
  return `The retention floor of ${resourceType} of organization ${organizationId}`;
}

function compareKeys(
  keys: readonly ReceiptKey[],
  audited: ReadonlyMap<string, AuditedKey>,
  findings: Findings,
): void {
  const missing = new Set(audited.keys());
  for (const { keyId, publicKey, createdAt, retiredAt } of keys) {
    missing.delete(keyId);
    const known = audited.get(keyId);
    const { detail } = known?.created ?? {};
    const isSame =
      detail?.["publicKey"] === publicKey &&
      detail["createdAt"] === createdAt &&
      known?.retiredAt === retiredAt;
    if (!isSame)
      findings.add(`The public key ${keyId} of receipts differs from the one in the audit trail.`);
  }
  for (const id of missing) {
    findings.add(`The public key ${id} of receipts is in the audit trail, and not in the store.`);
  }
}
