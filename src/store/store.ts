// The store's interface, and the promises that every engine keeps. Nothing here knows of an engine.
//
// 1. A promise that resolves means its effect is on stable storage; one that rejects means it had no effect.
// 2. Writes that arrive while a commit is under way share the next one, each judged on its own, in order of arrival.
// 3. Every method that touches an organization's data names the organization.
// 4. What an operator changes through another process takes effect here within 2 seconds (see credentialsVersion).
// 5. Errors that a caller can cause are AppErrors or named outcomes; anything else is a fault of ours.

import type {
  ApiKey,
  AuditEntry,
  Caller,
  Hold,
  KeyHolder,
  Organization,
} from "../domain/access.ts";
import type { AccessToken } from "../domain/access.ts";
import type { Deletion, DeletionStatus } from "../domain/deletion.ts";
import type {
  Change,
  IdempotencyMark,
  RecordHistory,
  RecordKey,
  RecordWrite,
  Sighting,
  WriteOutcome,
} from "../domain/record-write.ts";

/** Who does it, for the audit trail: `operator`, `worker`, or a key id. */
export interface Act {
  readonly actor: string;
  /** Unix milliseconds. */
  readonly now: number;
}

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

export interface RecordStore {
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
  readonly idempotency?: IdempotencyMark | undefined;
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
  /** When the oldest open deletion became due, if any is past due. */
  readonly oldestDueAt: number | undefined;
}

export type CancelOutcome = Deletion | "no_such_deletion" | "not_pending";
export type HoldOutcome = Hold | "no_such_record" | "being_erased";

export interface DeletionStore {
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

  /** Holds a record: no deletion erases or changes it until the release. */
  placeHold(key: RecordKey, reason: string, act: Act): Promise<HoldOutcome>;
  releaseHold(key: RecordKey, act: Act): Promise<Hold | undefined>;
  listHolds(organizationId: string | undefined): Promise<readonly Hold[]>;

  /**
   * Takes a deletion that is due, or one whose worker is gone. In one transaction it becomes `processing` and the
   * plan of its erasure is written down; from then on writes to what will be erased are refused. One that a hold
   * keeps back stays `pending` and says so.
   */
  claimDeletion(claim: Claim): Promise<Deletion | undefined>;
  /** Carries out the next part of the plan, at most `recordsMax` records, in one transaction. */
  eraseStep(deletionRequestId: string, recordsMax: number, act: Act): Promise<ErasureStep>;
  /**
   * Looks again; if nothing is left, completes in the same transaction and returns the deletion. If anything is found
   * (something related arrived meanwhile), plans again and returns undefined.
   */
  completeDeletion(deletionRequestId: string, act: Act): Promise<Deletion | undefined>;
  /** Gives a claimed deletion back after a failure. */
  postponeDeletion(deletionRequestId: string, why: string, nextAttemptAt: number): Promise<void>;
  deletionFigures(now: number): Promise<DeletionFigures>;
}

export interface NewKey extends Omit<ApiKey, "revokedAt" | "lastUsedAt"> {
  readonly secretHash: Uint8Array;
}

export interface NewToken extends AccessToken {
  readonly tokenHash: Uint8Array;
}

export type OrganizationChange = Partial<
  Pick<Organization, "name" | "strictScopes" | "deletionGraceSeconds">
> & { readonly rateLimitPerSecond?: number | null };

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

export interface UpkeepStore {
  /** Throws if the store can't answer. */
  ping(): Promise<void>;
  /** Forgets expired tokens and kept replies that are past their time. */
  purgeExpired(now: number): Promise<void>;
  listAudit(afterEntryNo: number, limit: number): Promise<readonly AuditEntry[]>;
  /** Engine integrity, the store's own invariants, and the audit chain. */
  checkIntegrity(): Promise<IntegrityReport>;
  /** Finishes what was accepted, then closes. */
  close(): Promise<void>;
}

export interface Store extends RecordStore, DeletionStore, AccessStore, UpkeepStore {
  readonly engine: "sqlite" | "postgres";
}

/** What an engine reports of its group commits, for metrics. */
export interface GroupFigures {
  readonly writes: number;
  readonly seconds: number;
}

/** How an engine uses a server that it shares with other processes. */
export interface ConnectionSettings {
  /** Connections at most, of this process. */
  readonly poolMax: number;
  /** False for a pooler that does not keep prepared statements. */
  readonly prepare: boolean;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
}

export interface StoreOptions {
  /** `serve` takes the sole right to serve this store and takes over deletions that were under way. */
  readonly role: "serve" | "command";
  readonly onGroup?: (figures: GroupFigures) => void;
  /** For engines with a server; their defaults if left out. */
  readonly connections?: ConnectionSettings;
}
