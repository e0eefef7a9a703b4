// The store's interface, and the promises that every engine keeps. Nothing here knows of an engine.
//
// 1. A promise that resolves means its effect is on stable storage; one that rejects means it had no effect, but for one
//    case: where the connection to a server is lost during COMMIT, `unavailable` leaves open which it was.
// 2. Writes that arrive while a commit is under way share the next one, each evaluated on its own. Writes and deletion
//    requests take effect in order of arrival; other operations may overtake them.
// 3. Every method that touches an organization's data names the organization.
// 4. What an operator changes through another process takes effect here within 2 seconds (see credentialsVersion).
// 5. Errors that a caller can cause are AppErrors or named outcomes; anything else is a fault of ours.

import type { ApiKey, AuditEntry, Caller, KeyHolder, Organization } from "../domain/access.ts";
import type { AccessToken } from "../domain/access.ts";
import type { Deletion, DeletionStatus } from "../domain/deletion/deletion.ts";
import type { Receipt, ReceiptHead, ReceiptKey } from "../domain/deletion/receipt.ts";
import type {
  Change,
  IdempotencyMark,
  RecordHistory,
  RecordKey,
  RecordWrite,
  Sighting,
  WriteOutcome,
} from "../domain/record/record-write.ts";
import type { NormalisedTimestamp } from "../domain/timestamp.ts";
import type { MessagePort } from "node:worker_threads";
import type { Act as AnyAct } from "./act.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { HoldStore } from "./holds.ts";
import type { ReplayStore } from "./replay.ts";
import type { KeptReceipt, TrailStore } from "./trail.ts";

export type Act = AnyAct;

/** A change, and the record that it belongs to. */
export interface ExportedChange extends Change {
  readonly resourceId: string;
}

export interface ChangePage {
  readonly organizationId: string;
  readonly resourceType: string;
  /** No change beyond this arrival number. */
  readonly upTo: number;
  /** The last change of the page before; undefined for the first page. */
  readonly after: Pick<ExportedChange, "resourceId" | "changeNo"> | undefined;
  readonly limit: number;
}

/** How a further thread of a process reaches the store to write records: to be handed to `openRecordWriter` there. */
export interface SharedWriter {
  readonly data: SharedWriterData;
  readonly transfer: readonly MessagePort[];
}

export type SharedWriterData =
  | { readonly engine: "sqlite"; readonly port: MessagePort }
  | { readonly engine: "postgres"; readonly url: string; readonly connections: ConnectionSettings };

export interface RecordStore {
  /** Only where the store is served. */
  shareWriter(): SharedWriter;
  /** To be called before anybody is told of a write that another thread of this process made: reads see it from then on. */
  writtenElsewhere(): void;
  /** Refuses writes that wait and those that come later, with AppError unavailable. The transaction under way ends. */
  refuseWrites(): void;
  /** Throws AppError idempotency_reused. With a known mark it gives the first outcome again and writes nothing. */
  writeRecords(write: RecordWrite): Promise<WriteOutcome>;
  findRecord(key: RecordKey): Promise<Sighting | undefined>;
  readHistory(key: RecordKey): Promise<RecordHistory | undefined>;
  /** Records of an organization by type; for `check`, the demonstration and tests. */
  countRecords(organizationId: string): Promise<Readonly<Record<string, number>>>;
  /**
   * A number that every change acknowledged by now is at or below, and none that is sent later. The changes up to it
   * are all there: no further one will come.
   */
  latestArrival(): Promise<number>;
  /** Changes of a type, in the order of record ids (as bytes) and, within a record, of arrival. */
  listChanges(page: ChangePage): Promise<readonly ExportedChange[]>;
}

export interface DeletionRequest {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly reason: string;
  /** Used only if no deletion of the record is open. */
  readonly deletionRequestId: string;
  readonly dueAt: number;
  /** What the deletion and its receipt say of who asked; the actor unless it is given. */
  readonly requestedBy?: string;
  readonly idempotency?: IdempotencyMark | undefined;
}

/** The part of an organization's records at which retention looks next, in the order of type and id. */
export interface ExpiryQuery {
  readonly organizationId: string;
  /** Records last seen before this are past their time. */
  readonly before: NormalisedTimestamp;
  /** Undefined: from the beginning. */
  readonly after: RecordKey | undefined;
  readonly scannedMax: number;
}

/**
 * What retention may do with a record that is past its time. `needed`: something that belongs to it was seen later, so it
 * stays as long as that. `open`: a deletion of it is open already.
 */
export type Expiry = "due" | "held" | "open" | "needed";

export interface ExpiredPart {
  readonly expired: readonly { readonly key: RecordKey; readonly expiry: Expiry }[];
  /** Where to go on; undefined at the end. */
  readonly next: RecordKey | undefined;
}

export interface DeletionFilter {
  readonly organizationId?: string | undefined;
  readonly status?: DeletionStatus | undefined;
  /** Newest first, at most this many. */
  readonly limit: number;
}

export interface Claim {
  readonly now: number;
  readonly leaseUntil: number;
  readonly claimant: string;
}

/** What one step of an erasure did. */
export interface ErasureStep {
  /** True when nothing is left of the plan; then comes completeDeletion. */
  readonly done: boolean;
}

export interface DeletionFigures {
  readonly byStatus: Readonly<Record<DeletionStatus, number>>;
  /** Open deletions that wait for a hold. */
  readonly held: number;
  /** When the oldest open deletion that no hold keeps became due, if any is past due. */
  readonly oldestDueAt: number | undefined;
}

/**
 * What completing one of several came to. `again`: something was found and is planned, so it has to be erased and looked for
 * again.
 */
export type Completion =
  | { readonly result: "completed"; readonly deletion: Deletion }
  | { readonly result: "again" }
  | { readonly result: "failed"; readonly cause: unknown };

export type CancelOutcome = Deletion | "no_such_deletion" | "not_pending";

export interface DeletionStore {
  /** How many deletions are best processed together. */
  readonly deletionsAtOnce: number;
  /**
   * Opens a deletion, or gives the one that is open already. Undefined if there is no such record.
   * Throws AppError idempotency_reused.
   */
  requestDeletion(request: DeletionRequest, act: Act): Promise<string | undefined>;
  /** Without organizationId: the operator's view over all organizations. */
  findDeletion(
    deletionRequestId: string,
    organizationId: string | undefined,
  ): Promise<Deletion | undefined>;
  listDeletions(filter: DeletionFilter): Promise<readonly Deletion[]>;
  cancelDeletion(deletionRequestId: string, act: Act): Promise<CancelOutcome>;

  /**
   * Takes a deletion that is due, or one whose worker is gone. In one transaction it becomes `processing` and the
   * plan of its erasure is written down; from then on writes to what will be erased are refused. One that a hold
   * keeps back stays `pending` and says so.
   */
  claimDeletion(claim: Claim): Promise<Deletion | undefined>;
  /** Processes the next part of the plan, at most `recordsMax` records, in one transaction. */
  eraseStep(deletionRequestId: string, recordsMax: number, act: Act): Promise<ErasureStep>;
  /**
   * Checks again; if nothing is left, completes in the same transaction and returns the deletion. If anything is found
   * (something related arrived meanwhile), plans again and returns undefined. The receipt is written in the same
   * transaction too, so there is never a completed deletion without one, nor one without the other.
   */
  completeDeletion(deletionRequestId: string, act: Act): Promise<Deletion | undefined>;
  /** The same for several, in order. Each is evaluated on its own, and has a receipt of its own. */
  completeDeletions(
    deletionRequestIds: readonly string[],
    act: Act,
  ): Promise<readonly Completion[]>;
  /** Gives a claimed deletion back after a failure. */
  postponeDeletion(deletionRequestId: string, why: string, nextAttemptAt: number): Promise<void>;
  deletionFigures(now: number): Promise<DeletionFigures>;
  findExpired(query: ExpiryQuery): Promise<ExpiredPart>;
}

/** A signed receipt, ready to be written in the transaction that completes its deletion. */
export interface SealedReceipt {
  readonly receipt: Receipt;
  readonly hash: string;
  /** With which it is signed; kept with it unless it is known. */
  readonly key: ReceiptKey;
}

/** Signs the receipt of a deletion as it will be when completed. Throws if there is no key to sign with. */
export type SealReceipt = (
  deletion: Deletion,
  context: { readonly head: ReceiptHead; readonly engine: Store["engine"] },
) => SealedReceipt;

export interface ReceiptStore {
  receiptHead(): Promise<ReceiptHead>;
  /** Without organizationId: the operator's view. */
  findReceipt(
    deletionRequestId: string,
    organizationId: string | undefined,
  ): Promise<Receipt | undefined>;
  /** In the order of the chain. */
  listReceipts(afterReceiptNo: number, limit: number): Promise<readonly KeptReceipt[]>;
  /** Oldest first. */
  listReceiptKeys(): Promise<readonly ReceiptKey[]>;
  /** Keeps a public key unless it is known, and retires those that are not named in `current`. */
  keepReceiptKey(key: ReceiptKey, options: KeepKeyOptions, act: Act): Promise<void>;
}

export interface KeepKeyOptions {
  /** Whether the other keys are retired. */
  readonly retireOthers: boolean;
}

export interface NewKey extends Omit<ApiKey, "revokedAt" | "lastUsedAt"> {
  readonly secretHash: Uint8Array;
}

export interface NewToken extends AccessToken {
  readonly tokenHash: Uint8Array;
}

export type OrganizationChange = Partial<
  Pick<Organization, "name" | "strictScopes" | "deletionGraceSeconds">
> & { readonly rateLimitPerSecond?: number | null; readonly retainDays?: number | null };

export interface AccessStore {
  /** False if the id is taken. */
  createOrganization(organization: Organization, act: Act): Promise<boolean>;
  findOrganization(organizationId: string): Promise<Organization | undefined>;
  listOrganizations(): Promise<readonly Organization[]>;
  changeOrganization(
    organizationId: string,
    change: OrganizationChange,
    act: Act,
  ): Promise<Organization | undefined>;

  createKey(key: NewKey, act: Act): Promise<void>;
  listKeys(organizationId: string | undefined): Promise<readonly ApiKey[]>;
  findKey(keyId: string): Promise<ApiKey | undefined>;
  findKeyBySecret(secretHash: Uint8Array): Promise<KeyHolder | undefined>;
  /** Sets the moment from which the key is of no use; undefined if there is no such key. */
  revokeKey(keyId: string, act: Act): Promise<ApiKey | undefined>;
  /** One act: makes `successor` and lets the old key end at `oldExpiresAt`. */
  rotateKey(
    keyId: string,
    successor: NewKey,
    oldExpiresAt: number,
    act: Act,
  ): Promise<ApiKey | undefined>;

  /** Also notes when the key was last used. */
  createToken(token: NewToken): Promise<void>;
  findCaller(tokenHash: Uint8Array): Promise<Caller | undefined>;
  /**
   * A number that changes whenever an organization, a key or a token's right changes, in any process. Whoever keeps
   * callers in memory asks at least every second and forgets them all when it differs.
   */
  credentialsVersion(): Promise<number>;
}

export interface IntegrityReport {
  readonly ok: boolean;
  readonly findings: readonly string[];
}

export interface ErasureFinding {
  /** True if something that was erased may still be found. */
  readonly severe: boolean;
  readonly text: string;
}

export interface ErasureReport {
  readonly findings: readonly ErasureFinding[];
}

export interface UpkeepStore {
  /** Throws if the store can't answer. */
  ping(): Promise<void>;
  /**
   * Does what a write needs, and leaves nothing behind. Rejects where writes would be refused: the disk is full or can't be
   * written, the server is away or has become a replica.
   */
  probeWrite(): Promise<void>;
  /** Forgets expired tokens and kept replies that are past their time, and clears up after erasures where that is needed. */
  purgeExpired(now: number): Promise<void>;
  /**
   * Gives a bounded part of the space that erased records have left back to the file system; true if there is more. Where
   * an engine does so by itself, or can't, there is nothing to do.
   */
  reclaimSpace(): Promise<boolean>;
  listAudit(afterEntryNo: number, limit: number): Promise<readonly AuditEntry[]>;
  /** Engine integrity, the store's own invariants, and the audit chain. */
  checkIntegrity(): Promise<IntegrityReport>;
  /** Looks into the files and tables for what completed deletions should have taken away. */
  checkErasure(): Promise<ErasureReport>;
  /** Finishes what was accepted, then closes. */
  close(): Promise<void>;
}

export interface Store extends RecordStore, DeletionStore, ReceiptStore, AccessStore, UpkeepStore {
  readonly engine: "sqlite" | "postgres";
  readonly holds: HoldStore;
  readonly replay: ReplayStore;
  readonly trail: TrailStore;
  /** Of its tables, which opening it has brought up to this; each engine counts for itself. */
  readonly schemaVersion: number;
}

/** What an engine reports of its group commits, for metrics. */
export interface GroupFigures {
  readonly writes: number;
  readonly seconds: number;
}

export interface StoreOptions {
  /**
   * `serve` takes the sole right to serve this store and takes over deletions that were under way; `replay` does the same
   * without serving.
   */
  readonly role: "serve" | "command" | "replay";
  /** False: a store that is being restored is refused, because what was erased may be readable in it. */
  readonly restoring?: boolean;
  /** True if a store that is not there is an error rather than made. */
  readonly existing?: boolean;
  readonly onGroup?: (figures: GroupFigures) => void;
  /** Without it, deletions are completed without a receipt; only tests of an engine do so. */
  readonly sealReceipt?: SealReceipt;
  /** For engines with a server; their defaults if left out. */
  readonly connections?: ConnectionSettings;
}
