// The store on SQLite: which of its methods reads and which asks the writer. Holds no SQL, and decides nothing.

import type { ApiKey, AuditEntry, Caller, KeyHolder, Organization } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { Receipt, ReceiptHead, ReceiptKey } from "../../domain/deletion/receipt.ts";
import type {
  RecordHistory,
  RecordKey,
  RecordWrite,
  Sighting,
  WriteOutcome,
} from "../../domain/record/record-write.ts";
import type {
  Act,
  CancelOutcome,
  ChangePage,
  Claim,
  Completion,
  DeletionFigures,
  DeletionFilter,
  DeletionRequest,
  ErasureReport,
  ErasureStep,
  ExpiredPart,
  ExpiryQuery,
  ExportedChange,
  IntegrityReport,
  KeepKeyOptions,
  NewKey,
  NewToken,
  OrganizationChange,
  SealedReceipt,
  SealReceipt,
  SharedWriter,
  Store,
} from "../store.ts";
import { toAuditEntry } from "../row/audit-row.ts";
import type { HoldStore } from "../holds.ts";
import type { ReplayStore } from "../replay.ts";
import type { KeptReceipt, TrailStore } from "../trail.ts";
import { deletionOf } from "../completion-outcome.ts";
import { findCaller } from "../sql/access-token.ts";
import { findKey, findKeyBySecret, listKeys } from "../sql/api-key.ts";
import { readAuditRows } from "../sql/audit.ts";
import { deletionFigures, findDeletion, listDeletions } from "../sql/deletion.ts";
import { listChanges } from "../sql/export.ts";
import {
  findOrganization,
  listOrganizations,
  readCredentialsVersion,
} from "../sql/organization.ts";
import { findReceipt, listReceiptKeys, listReceipts, readReceiptHead } from "../sql/receipt.ts";
import { countRecords, readHistory } from "../sql/record.ts";
import { DeletionCompleter } from "./erase/complete-deletions.ts";
import type { Connection } from "./connection.ts";
import type { SharedDescriptor } from "./erase/descriptor.ts";
import { readLatestArrival } from "./export.ts";
import { checkErasure } from "./erase/erasure-check.ts";
import { findExpired } from "./expired.ts";
import type { Checkpointer } from "./file/checkpointer.ts";
import type { FileTasks } from "./file/file-tasks.ts";
import { checkIntegrity } from "./integrity.ts";
import { LargePlanner } from "./erase/large-planner.ts";
import { schemaVersion } from "./migration/migrate.ts";
import type { OperationResult, PerformOperation } from "./commit/operation.ts";
import { makeHoldStore, makeReplayStore, makeTrailStore } from "./store-parts.ts";
import { type PackedOutcome, unpackOutcome } from "../group/packed-outcome.ts";
import { findRecord } from "./commit/record.ts";
import type { ServingRight } from "./file/serving-right.ts";
import type { SharedRead } from "./shared-read.ts";
import type { Writer } from "./commit/writer.ts";
import { probeRoom } from "./file/write-probe.ts";

/** Deletions that share a scan of the freed pages. */
const deletionsAtOnceMax = 64;

export interface Parts {
  readonly reader: Connection;
  readonly writer: Writer;
  /** Of the reader, where that is a connection of its own; the writer ends it before it answers. */
  readonly snapshot?: SharedRead;
  readonly descriptor: SharedDescriptor;
  readonly files: FileTasks;
  /** Where the store is served. */
  readonly checkpointer?: Checkpointer;
  readonly right?: ServingRight;
  readonly sealReceipt?: SealReceipt | undefined;
}

export class SqliteStore implements Store {
  readonly engine = "sqlite";
  readonly schemaVersion = schemaVersion;
  readonly deletionsAtOnce = deletionsAtOnceMax;
  readonly holds: HoldStore;
  readonly replay: ReplayStore;
  readonly trail: TrailStore;
  readonly #reader: Connection;
  readonly #writer: Writer;
  readonly #descriptor: SharedDescriptor;
  readonly #right: ServingRight | undefined;
  readonly #sealReceipt: SealReceipt | undefined;
  readonly #perform: PerformOperation;
  readonly #files: FileTasks;
  readonly #checkpointer: Checkpointer | undefined;
  readonly #planner: LargePlanner;
  readonly #completer: DeletionCompleter;
  readonly #snapshot: SharedRead | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: Parts) {
    const { reader, writer, snapshot, descriptor, files, checkpointer, right, sealReceipt } = parts;
    this.#reader = reader;
    this.#writer = writer;
    this.#descriptor = descriptor;
    this.#right = right;
    this.#sealReceipt = sealReceipt;
    this.#snapshot = snapshot;
    this.#perform = async (name, args) =>
      (await writer.submit({ name, args })) as OperationResult<typeof name>;
    const access = { reader, perform: this.#perform };
    this.holds = makeHoldStore(access);
    this.replay = makeReplayStore(access);
    this.trail = makeTrailStore(access);
    this.#files = files;
    this.#checkpointer = checkpointer;
    this.#planner = new LargePlanner({ perform: this.#perform, collector: files });
    this.#completer = new DeletionCompleter({
      perform: this.#perform,
      planner: this.#planner,
      scrubber: files,
      checkpoints: checkpointer,
      descriptor: () => descriptor.get(),
      seal: (ids, act) => this.#seal(ids, act),
    });
  }

  /** Deletions that were under way in a process that is gone can be claimed at once. */
  async takeOver(): Promise<void> {
    await this.#perform("voidAllLeases", undefined);
  }

  shareWriter(): SharedWriter {
    const { connect } = this.#writer;
    if (connect === undefined) throw new TypeError("a command has no writer to share");
    const port = connect();
    return { data: { engine: "sqlite", port }, transfer: [port] };
  }

  writtenElsewhere(): void {
    this.#snapshot?.end();
  }

  refuseWrites(): void {
    this.#writer.refuseWrites?.();
  }

  /** Not `async`, so that nothing holds on to what was sent while it is written. */
  writeRecords(write: RecordWrite): Promise<WriteOutcome> {
    return this.#writer.submit(write).then((packed) => unpackOutcome(packed as PackedOutcome));
  }

  async findRecord(key: RecordKey): Promise<Sighting | undefined> {
    this.#snapshot?.share();
    return findRecord(this.#reader, key);
  }

  async readHistory(key: RecordKey): Promise<RecordHistory | undefined> {
    return this.#reader.perform(readHistory, key);
  }

  async countRecords(organizationId: string): Promise<Readonly<Record<string, number>>> {
    return this.#reader.perform(countRecords, organizationId);
  }

  async latestArrival(): Promise<number> {
    return readLatestArrival(this.#reader);
  }

  async listChanges(page: ChangePage): Promise<readonly ExportedChange[]> {
    return this.#reader.perform(listChanges, page);
  }

  async requestDeletion(request: DeletionRequest, act: Act): Promise<string | undefined> {
    return (await this.#perform("requestDeletion", { request, act })) ?? undefined;
  }

  async findDeletion(
    deletionRequestId: string,
    organizationId: string | undefined,
  ): Promise<Deletion | undefined> {
    return this.#reader.perform(findDeletion, deletionRequestId, organizationId);
  }

  async listDeletions(filter: DeletionFilter): Promise<readonly Deletion[]> {
    return this.#reader.perform(listDeletions, filter);
  }

  cancelDeletion(deletionRequestId: string, act: Act): Promise<CancelOutcome> {
    return this.#perform("cancelDeletion", { deletionRequestId, act });
  }

  async claimDeletion(claim: Claim): Promise<Deletion | undefined> {
    const claimed = await this.#perform("claimDeletion", { claim });
    if (claimed?.result !== "large") return claimed?.deletion;
    return this.#planner.begin(claimed.deletion, claim);
  }

  eraseStep(deletionRequestId: string, recordsMax: number, act: Act): Promise<ErasureStep> {
    return this.#perform("eraseStep", { deletionRequestId, recordsMax, act });
  }

  async completeDeletion(deletionRequestId: string, act: Act): Promise<Deletion | undefined> {
    const [outcome] = await this.completeDeletions([deletionRequestId], act);
    return deletionOf(outcome);
  }

  completeDeletions(
    deletionRequestIds: readonly string[],
    act: Act,
  ): Promise<readonly Completion[]> {
    const complete = () => this.#completer.complete(deletionRequestIds, act);
    return this.#snapshot === undefined ? complete() : this.#snapshot.avoid(complete);
  }

  postponeDeletion(deletionRequestId: string, why: string, nextAttemptAt: number): Promise<void> {
    return this.#perform("postponeDeletion", { deletionRequestId, why, nextAttemptAt });
  }

  #seal(ids: readonly string[], act: Act): readonly (SealedReceipt | undefined)[] {
    const sealReceipt = this.#sealReceipt;
    if (sealReceipt === undefined) return [];
    let head = this.#reader.perform(readReceiptHead);
    return ids.map((id) => {
      const deletion = this.#reader.perform(findDeletion, id);
      if (deletion === undefined) return undefined;
      const completed = { ...deletion, completedAt: act.now };
      const sealed = sealReceipt(completed, { head, engine: this.engine });
      head = { ...head, receiptNo: sealed.receipt.receipt_no, hash: sealed.hash };
      return sealed;
    });
  }

  async receiptHead(): Promise<ReceiptHead> {
    return this.#reader.perform(readReceiptHead);
  }

  async findReceipt(
    deletionRequestId: string,
    organizationId: string | undefined,
  ): Promise<Receipt | undefined> {
    return this.#reader.perform(findReceipt, deletionRequestId, organizationId);
  }

  async listReceipts(afterReceiptNo: number, limit: number): Promise<readonly KeptReceipt[]> {
    return this.#reader.perform(listReceipts, afterReceiptNo, limit);
  }

  async listReceiptKeys(): Promise<readonly ReceiptKey[]> {
    return this.#reader.perform(listReceiptKeys);
  }

  keepReceiptKey(key: ReceiptKey, options: KeepKeyOptions, act: Act): Promise<void> {
    return this.#perform("keepReceiptKey", { key, options, act });
  }

  async deletionFigures(now: number): Promise<DeletionFigures> {
    return this.#reader.perform(deletionFigures, now);
  }

  async findExpired(query: ExpiryQuery): Promise<ExpiredPart> {
    return findExpired(this.#reader, query);
  }

  createOrganization(organization: Organization, act: Act): Promise<boolean> {
    return this.#perform("createOrganization", { organization, act });
  }

  async findOrganization(organizationId: string): Promise<Organization | undefined> {
    return this.#reader.perform(findOrganization, organizationId);
  }

  async listOrganizations(): Promise<readonly Organization[]> {
    return this.#reader.perform(listOrganizations);
  }

  changeOrganization(
    organizationId: string,
    change: OrganizationChange,
    act: Act,
  ): Promise<Organization | undefined> {
    return this.#perform("changeOrganization", { organizationId, change, act });
  }

  createKey(key: NewKey, act: Act): Promise<void> {
    return this.#perform("createKey", { key, act });
  }

  async listKeys(organizationId: string | undefined): Promise<readonly ApiKey[]> {
    return this.#reader.perform(listKeys, organizationId);
  }

  async findKey(keyId: string): Promise<ApiKey | undefined> {
    return this.#reader.perform(findKey, keyId);
  }

  async findKeyBySecret(secretHash: Uint8Array): Promise<KeyHolder | undefined> {
    return this.#reader.perform(findKeyBySecret, secretHash);
  }

  revokeKey(keyId: string, act: Act): Promise<ApiKey | undefined> {
    return this.#perform("revokeKey", { keyId, act });
  }

  rotateKey(
    keyId: string,
    successor: NewKey,
    oldExpiresAt: number,
    act: Act,
  ): Promise<ApiKey | undefined> {
    return this.#perform("rotateKey", { keyId, successor, oldExpiresAt, act });
  }

  createToken(token: NewToken): Promise<void> {
    return this.#perform("createToken", { token });
  }

  async findCaller(tokenHash: Uint8Array): Promise<Caller | undefined> {
    return this.#reader.perform(findCaller, tokenHash);
  }

  async credentialsVersion(): Promise<number> {
    return this.#reader.perform(readCredentialsVersion);
  }

  async ping(): Promise<void> {
    this.#reader.perform(readCredentialsVersion);
    await this.#perform("ping", undefined);
  }

  async probeWrite(): Promise<void> {
    await probeRoom(this.#reader.path);
    await this.#perform("probeCommit", undefined);
  }

  purgeExpired(now: number): Promise<void> {
    return this.#perform("purgeExpired", { now });
  }

  async reclaimSpace(): Promise<boolean> {
    const { pages, more } = await this.#perform("vacuumPages", undefined);
    // The file ends earlier only now.
    if (pages > 0 && !more) {
      await this.#checkpointer?.pause();
      await this.#files.passiveCheckpoint().finally(() => this.#checkpointer?.resume());
    }
    return more;
  }

  async listAudit(afterEntryNo: number, limit: number): Promise<readonly AuditEntry[]> {
    return this.#reader.perform(readAuditRows, { afterEntryNo, limit }).map(toAuditEntry);
  }

  async checkIntegrity(): Promise<IntegrityReport> {
    return checkIntegrity(this.#reader);
  }

  async checkErasure(): Promise<ErasureReport> {
    return checkErasure(this.#reader, this.#descriptor.get());
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#snapshot?.end();
    // Without a snapshot, the writer's connection is the reader too.
    if (this.#snapshot !== undefined) this.#reader.close();
    await this.#writer.close(async () => {
      await this.#checkpointer?.pause();
      await this.#files.close();
    });
    this.#descriptor.release();
    this.#right?.release();
  }
}
