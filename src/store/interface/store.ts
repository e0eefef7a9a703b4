// The interface of the store, and the guarantees of every engine.
//
// 1. When a promise resolves, its effect is on stable storage; when it rejects, there was no effect. One exception: if the
//    connection to a server is lost during COMMIT, the error `unavailable` does not say whether there was one.
// 2. Writes that arrive during a commit share the next one, each evaluated separately. Writes and deletion requests take
//    effect in the order of their arrival; other operations may overtake them.
// 3. Every method that accesses data of an organization names the organization.
// 4. Changes that an operator makes in another process take effect within 2 seconds (see credentialsVersion).
// 5. Errors that a caller can cause are AppErrors or named outcomes; anything else is an internal error.

import type { ApiKey, AuditEntry, Caller, KeyHolder, Organization } from "../../domain/access.ts";
import type { AccessToken } from "../../domain/access.ts";
import type { Deletion, DeletionStatus } from "../../domain/deletion/deletion.ts";
import type {
  Receipt,
  ReceiptHead,
  ReceiptKey,
  ReceiptPlace,
  SealingHead,
} from "../../domain/deletion/receipt.ts";
import type { ReceiptCounts } from "../../domain/deletion/receipt-count.ts";
import type {
  Change,
  IdempotencyMark,
  RecordHistory,
  RecordKey,
  RecordWrite,
  Sighting,
  WriteOutcome,
} from "../../domain/record/record-write.ts";
import type { RetentionFloor } from "../../domain/retention/floor.ts";
import type { MessagePort } from "node:worker_threads";
import type { Act as AnyAct } from "./act.ts";
import type { ApprovalStore } from "./approvals.ts";
import type { ErasureReport, IntegrityReport } from "./check-report.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { HoldStore } from "./holds.ts";
import type { ImportStore } from "./imports.ts";
import type { NamingPage, NamingQuery } from "./naming.ts";
import type { EngineTraits } from "./engine-traits.ts";
import type { OpenedDeletion, OrganizationDeletionRequest } from "./organization-deletion.ts";
import type { Referrer, ReferrerPage } from "./referrer.ts";
import type { OperatorStore } from "./operators.ts";
import type { OverviewStore } from "./overview.ts";
import type { ReplayStore } from "./replay.ts";
import type { RestrictedStore } from "./restricted.ts";
import type { ExpiredPart, ExpiryQuery, RetentionStore } from "./retention.ts";
import type { StoredReceipt, TrailStore } from "./trail.ts";

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

/** What another thread of the process passes to `openRecordWriter` to write records. */
export interface SharedWriter {
  readonly data: SharedWriterData;
  readonly transfer: readonly MessagePort[];
}

export type SharedWriterData =
  | { readonly engine: "sqlite"; readonly port: MessagePort }
  | { readonly engine: "postgres"; readonly url: string; readonly connections: ConnectionSettings };

export interface RecordStore {
  /** To be called only on a store that is served. */
  shareWriter(): SharedWriter;
  /** Makes a write of another thread visible to reads; to be called before the write is reported to a client. */
  writtenElsewhere(): void;
  /** Rejects waiting and later writes with AppError unavailable. The current transaction is finished. */
  refuseWrites(): void;
  /**
   * If the idempotency mark is known, returns the stored outcome and writes nothing. Throws AppError
   * idempotency_reused, which is the outcome of a draft where each has its own mark.
   */
  writeRecords(write: RecordWrite): Promise<WriteOutcome>;
  findRecord(key: RecordKey): Promise<Sighting | undefined>;
  readHistory(key: RecordKey): Promise<RecordHistory | undefined>;
  /** Counts records by type. */
  countRecords(organizationId: string): Promise<Readonly<Record<string, number>>>;
  /**
   * Returns a number that no change acknowledged by now exceeds, and that every later one does. All changes up to it
   * are stored, and none will be added.
   */
  latestArrival(): Promise<number>;
  /** Lists referrers in the order of type and id. */
  listReferrers(page: ReferrerPage): Promise<readonly Referrer[]>;
  /** Reads the next records, in the order of type and id, and which of them name any of these persons or companies. */
  readNamings(query: NamingQuery): Promise<NamingPage>;
  /** Lists changes of a type, in the order of record ids (as bytes) and, within a record, of arrival. */
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
  /** True for a deletion that a rule requests, not a person or a program: it needs no approval. */
  readonly isAutomatic?: boolean;
  /** The requester named in the deletion and its receipt; the default is the actor. */
  readonly requestedBy?: string;
  readonly idempotency?: IdempotencyMark | undefined;
}

export interface DeletionFilter {
  readonly organizationId?: string | undefined;
  readonly status?: DeletionStatus | undefined;
  /** Selects only deletions that await an approval, whatever their status. */
  readonly awaitsApproval?: boolean;
  readonly before?: Pick<Deletion, "requestedAt" | "deletionRequestId"> | undefined;
  /** How many deletions are listed at most, newest first, after `before`. */
  readonly limit: number;
}

export interface Claim {
  readonly now: number;
  readonly leaseUntil: number;
  readonly claimant: string;
}

/** The result of one step of an erasure. */
export interface ErasureStep {
  /** Deletions of which nothing is left to erase, so that they can be completed. */
  readonly done: readonly string[];
  /** How long the step has worked, without waiting for its turn. */
  readonly workMs: number;
  /** The number of the latest change. If it has grown, others have written. */
  readonly latestArrival: number;
}

export interface DeletionFigures {
  readonly byStatus: Readonly<Record<DeletionStatus, number>>;
  /** Open deletions that wait for the release of a hold. */
  readonly held: number;
  /** Open deletions that wait for the end of a retention floor. */
  readonly underFloor: number;
  /** When the oldest overdue deletion became due, without those that wait for a hold or a floor. */
  readonly oldestDueAt: number | undefined;
}

/**
 * The result of completing a deletion. `again`: the verification pass found something and added it to the plan, so it has to
 * be erased and verified again. `scanning`: a part of the scan for records that name the erased person or company is done;
 * call again.
 */
export type Completion =
  | { readonly result: "completed"; readonly deletion: Deletion }
  | { readonly result: "again" }
  | { readonly result: "scanning" }
  | { readonly result: "failed"; readonly cause: unknown };

export type CancelOutcome = Deletion | "no_such_deletion" | "not_pending";

export interface DeletionStore {
  /** How many deletions should be processed together. */
  readonly deletionsAtOnce: number;
  /**
   * Opens a deletion, or returns the one that is open. Undefined if there is no such record.
   * Throws AppError idempotency_reused.
   */
  requestDeletion(request: DeletionRequest, act: Act): Promise<string | undefined>;
  /** Finds a deletion of this organization, or of any if none is named. */
  findDeletion(
    deletionRequestId: string,
    organizationId: string | undefined,
  ): Promise<Deletion | undefined>;
  listDeletions(filter: DeletionFilter): Promise<readonly Deletion[]>;
  cancelDeletion(deletionRequestId: string, act: Act): Promise<CancelOutcome>;

  /**
   * Claims deletions that are due, or whose worker has stopped, at most `deletionsMax`. In one transaction they become
   * `processing` and their plans are stored; from then on writes to what will be erased are refused. A deletion that a
   * hold prevents stays `pending`, with the reason. If none is claimed, nothing is due; otherwise more may be.
   */
  claimDeletions(claim: Claim, deletionsMax: number): Promise<readonly Deletion[]>;
  /**
   * Processes the next part of the plans of some of these deletions, at most `recordsMax` records, in one transaction. The first
   * ones take precedence. The deletion of an organization has to be alone.
   */
  eraseStep(
    deletionRequestIds: readonly string[],
    recordsMax: number,
    act: Act,
  ): Promise<ErasureStep>;
  /**
   * Verifies deletions and completes those of which nothing is left, each with its own receipt, in one transaction: so
   * no completion exists without its receipt. If anything is found (something related arrived meanwhile), it is added
   * to the plan. The results are in order.
   */
  completeDeletions(
    deletionRequestIds: readonly string[],
    act: Act,
  ): Promise<readonly Completion[]>;
  /** Returns a claimed deletion after a failure. */
  postponeDeletion(deletionRequestId: string, why: string, nextAttemptAt: number): Promise<void>;
  deletionFigures(now: number): Promise<DeletionFigures>;
  findExpired(query: ExpiryQuery): Promise<ExpiredPart>;
}

/** A signed receipt, to be written in the transaction that completes its deletion. */
export interface SealedReceipt {
  readonly receipt: ReceiptPlace;
  /** The receipt in the form that is hashed: a text is made once, and is sent to another thread sooner than an object. */
  readonly document: string;
  /** The numbers whose hashes it contains. */
  readonly counts: ReceiptCounts;
  readonly hash: string;
  /** The key that signed it; stored with it if it is new. */
  readonly key: ReceiptKey;
}

/** Signs the receipt of a deletion that is being completed. Throws if there is no key. */
export type SealReceipt = (
  deletion: Deletion,
  context: { readonly head: SealingHead; readonly engine: EngineTraits["verification"] },
) => SealedReceipt;

export interface ReceiptStore {
  receiptHead(): Promise<ReceiptHead>;
  /** Returns the key from which the salts of receipts are derived: 256 bits in hex. */
  receiptSaltKey(): Promise<string>;
  /** Finds the receipt of a deletion of this organization, or of any if none is named. */
  findReceipt(
    deletionRequestId: string,
    organizationId: string | undefined,
  ): Promise<Receipt | undefined>;
  /** Lists receipts in the order of the chain. */
  listReceipts(afterReceiptNo: number, limit: number): Promise<readonly StoredReceipt[]>;
  /** Lists keys, oldest first. */
  listReceiptKeys(): Promise<readonly ReceiptKey[]>;
  /** Stores a public key unless it is known. */
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
  Pick<
    Organization,
    | "name"
    | "strictScopes"
    | "deletionGraceSeconds"
    | "confidentialTypes"
    | "eraseOrphanedTransactions"
    | "deletionApproval"
  >
> & { readonly rateLimitPerSecond?: number | null; readonly retainDays?: number | null };

/** The wanted `retainDays` is shorter than this floor. Nothing was changed. */
export interface CeilingTooLow {
  readonly ceilingTooLowFor: RetentionFloor;
}

export interface AccessStore {
  /** Creates an organization. False if the id exists. */
  createOrganization(organization: Organization, act: Act): Promise<boolean>;
  findOrganization(organizationId: string): Promise<Organization | undefined>;
  listOrganizations(): Promise<readonly Organization[]>;
  changeOrganization(
    organizationId: string,
    change: OrganizationChange,
    act: Act,
  ): Promise<Organization | CeilingTooLow | undefined>;

  /**
   * Ends the access of the organization: its keys are revoked, and its writes are refused with AppError
   * credential_revoked. Undefined if there is no such organization; closing it a second time changes nothing.
   * `exporting`: its records are to be exported before they are deleted, which the audit trail states.
   */
  closeOrganization(
    organizationId: string,
    act: Act,
    options?: { readonly exporting?: boolean },
  ): Promise<Organization | undefined>;
  /**
   * Requests the deletion of everything, which is due at once. An organization has one such deletion. Throws unless the
   * organization is closed.
   */
  requestOrganizationDeletion(
    request: OrganizationDeletionRequest,
    act: Act,
  ): Promise<OpenedDeletion>;

  createKey(key: NewKey, act: Act): Promise<void>;
  listKeys(organizationId: string | undefined): Promise<readonly ApiKey[]>;
  findKey(keyId: string): Promise<ApiKey | undefined>;
  findKeyBySecret(secretHash: Uint8Array): Promise<KeyHolder | undefined>;
  /** Revokes a key; undefined if there is no such key. */
  revokeKey(keyId: string, act: Act): Promise<ApiKey | undefined>;
  /** Creates `successor` and sets the end of the old key, in one transaction. */
  rotateKey(
    keyId: string,
    successor: NewKey,
    oldExpiresAt: number,
    act: Act,
  ): Promise<ApiKey | undefined>;

  /** Stores a token, and updates when the key was last used. */
  createToken(token: NewToken): Promise<void>;
  findCaller(tokenHash: Uint8Array): Promise<Caller | undefined>;
  /**
   * Changes whenever an organization, a key or the rights of a token change in any process. A cache of callers must read it at
   * least every second, and be emptied when it differs.
   */
  credentialsVersion(): Promise<number>;
}

export interface UpkeepStore {
  /** Rejects if the store can't answer. */
  ping(): Promise<void>;
  /**
   * Does what a write does, without a lasting effect. Rejects if writes would be refused: the disk is full or read-only, or
   * the server is unreachable or has become a replica.
   */
  probeWrite(): Promise<void>;
  /** Removes expired tokens and stored outcomes, and cleans up after erasures where needed. */
  purgeExpired(now: number): Promise<void>;
  /**
   * Returns a bounded part of the free space to the file system; true if there is more. Does nothing on an engine that does so
   * by itself, or can't.
   */
  reclaimSpace(): Promise<boolean>;
  listAudit(afterEntryNo: number, limit: number): Promise<readonly AuditEntry[]>;
  /** Checks the integrity of the engine's files, the invariants of the store, and the audit chain. */
  checkIntegrity(): Promise<IntegrityReport>;
  /** Scans files and tables for data that completed deletions should have erased. */
  checkErasure(): Promise<ErasureReport>;
  /** Finishes accepted operations, then closes. */
  close(): Promise<void>;
}

export interface Store extends RecordStore, DeletionStore, ReceiptStore, AccessStore, UpkeepStore {
  readonly engine: "sqlite" | "postgres";
  readonly traits: EngineTraits;
  readonly approvals: ApprovalStore;
  readonly holds: HoldStore;
  readonly retention: RetentionStore;
  readonly restricted: RestrictedStore;
  readonly operators: OperatorStore;
  readonly overview: OverviewStore;
  readonly imports: ImportStore;
  readonly replay: ReplayStore;
  readonly trail: TrailStore;
  /** The version of the tables, to which opening has migrated them. */
  readonly schemaVersion: number;
}

export interface GroupFigures {
  readonly writes: number;
  readonly seconds: number;
}

export interface StoreOptions {
  /**
   * `serve` acquires the exclusive right to serve and takes over open deletions. `replay` does the same without
   * serving.
   */
  readonly role: "serve" | "command" | "replay";
  /** Unless this is true, a store that is being restored is refused: erased data may be readable in it. */
  readonly restoring?: boolean;
  /** True if a missing store is an error rather than created. */
  readonly existing?: boolean;
  readonly onGroup?: (figures: GroupFigures) => void;
  /** Signs receipts. Tests of an engine leave it out, and complete deletions without a receipt. */
  readonly sealReceipt?: SealReceipt;
  readonly connections?: ConnectionSettings;
}
