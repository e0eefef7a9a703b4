// The store on PostgreSQL: which of its methods runs in which transaction, and what that one may see. Holds no SQL, and
// decides nothing about records.

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
import { toAuditEntry } from "../row/audit-row.ts";
import { toCompletion } from "../completion-outcome.ts";
import type { HoldStore } from "../holds.ts";
import { unpackOutcome } from "../group/packed-outcome.ts";
import type { ReplayStore } from "../replay.ts";
import * as accessToken from "../sql/access-token.ts";
import * as apiKey from "../sql/api-key.ts";
import { readAuditRows } from "../sql/audit.ts";
import {
  cancelDeletion,
  deletionFigures,
  findDeletion,
  listDeletions,
  postponeDeletion,
} from "../sql/deletion.ts";
import { listChanges } from "../sql/export.ts";
import * as organizations from "../sql/organization.ts";
import * as receipts from "../sql/receipt.ts";
import { countRecords, readHistory } from "../sql/record.ts";
import type { Statements } from "../sql/statements.ts";
import { StoreError } from "../store-error.ts";
import type { ConnectionSettings } from "../connection-settings.ts";
import type * as promised from "../store.ts";
import type { KeptReceipt, TrailStore } from "../trail.ts";
import { claimDeletion } from "./erase/claim.ts";
import { completeDeletion } from "./erase/verification.ts";
import type { Database, Work } from "./database.ts";
import { eraseStep } from "./erase/erasure.ts";
import { checkErasure } from "./erase/erasure-check.ts";
import { findExpired } from "./expired.ts";
import { readLatestArrival } from "./export.ts";
import type { GroupQueue } from "./commit/group-queue.ts";
import { checkIntegrity } from "./integrity.ts";
import { deletionIdOf, outcomeOf } from "./commit/job.ts";
import { type JobQueue, makeJobQueue, makeLookUpQueue } from "./commit/job-groups.ts";
import { Leases, type Postponement } from "./erase/lease.ts";
import { schemaVersion } from "./migration/migrate.ts";
import { purgeExpired } from "./purge.ts";
import { makeHoldStore, makeReplayStore, makeTrailStore } from "./store-parts.ts";
import { ErasureVacuum } from "./erase/vacuum.ts";
import { probeWrite } from "./write-probe.ts";
import { allOrganizations, oneOrAll, organization, type Scope } from "./scope.ts";

const credentials: Scope = { view: "credentials" };
const deletions: Scope = { view: "deletions" };

export interface PostgresOptions extends promised.StoreOptions {
  /** How another thread of a serving process opens connections of its own. */
  readonly sharing?: { readonly url: string; readonly connections: ConnectionSettings };
}

export class PostgresStore implements promised.Store {
  readonly engine = "postgres";
  readonly schemaVersion = schemaVersion;
  /** Nothing is gained by more: processes share the work instead. */
  readonly deletionsAtOnce = 1;
  readonly holds: HoldStore;
  readonly replay: ReplayStore;
  readonly trail: TrailStore;
  readonly #database: Database;
  readonly #jobs: JobQueue;
  readonly #lookUps: GroupQueue<RecordKey, Sighting | null>;
  readonly #leases = new Leases();
  readonly #vacuum: ErasureVacuum;
  readonly #sealReceipt: promised.SealReceipt | undefined;
  readonly #sharing: PostgresOptions["sharing"];
  #closed: Promise<void> | undefined;

  constructor(database: Database, options: PostgresOptions) {
    this.#database = database;
    this.#sharing = options.sharing;
    this.holds = makeHoldStore(database);
    this.replay = makeReplayStore(database);
    this.trail = makeTrailStore(database);
    this.#vacuum = new ErasureVacuum(database);
    this.#sealReceipt = options.sealReceipt;
    this.#jobs = makeJobQueue(database, options.onGroup);
    this.#lookUps = makeLookUpQueue(database);
  }

  shareWriter(): promised.SharedWriter {
    if (this.#sharing === undefined) throw new TypeError("a command has no writer to share");
    return { data: { engine: "postgres", ...this.#sharing }, transfer: [] };
  }

  /** Every read is a transaction of its own. */
  writtenElsewhere(): void {}

  refuseWrites(): void {
    this.#jobs.refuse();
  }

  async writeRecords(write: RecordWrite): Promise<WriteOutcome> {
    return unpackOutcome(outcomeOf(await this.#jobs.submit({ kind: "write", write })));
  }

  /** Looks that are asked for at once share a transaction, as writes do. */
  async findRecord(key: RecordKey): Promise<Sighting | undefined> {
    return (await this.#lookUps.submit(key)) ?? undefined;
  }

  readHistory(key: RecordKey): Promise<RecordHistory | undefined> {
    return this.#read(organization(key.organizationId), readHistory, key);
  }

  countRecords(organizationId: string): Promise<Readonly<Record<string, number>>> {
    return this.#read(organization(organizationId), countRecords, organizationId);
  }

  latestArrival(): Promise<number> {
    return readLatestArrival(this.#database);
  }

  listChanges(page: promised.ChangePage): Promise<readonly promised.ExportedChange[]> {
    return this.#read(organization(page.organizationId), listChanges, page);
  }

  async requestDeletion(
    request: promised.DeletionRequest,
    act: promised.Act,
  ): Promise<string | undefined> {
    return deletionIdOf(await this.#jobs.submit({ kind: "request", request, act }));
  }

  findDeletion(
    deletionRequestId: string,
    organizationId: string | undefined,
  ): Promise<Deletion | undefined> {
    const scope = oneOrAll(organizationId);
    return this.#read(scope, findDeletion, deletionRequestId, organizationId);
  }

  listDeletions(filter: promised.DeletionFilter): Promise<readonly Deletion[]> {
    return this.#read(oneOrAll(filter.organizationId), listDeletions, filter);
  }

  cancelDeletion(deletionRequestId: string, act: promised.Act): Promise<promised.CancelOutcome> {
    return this.#change(allOrganizations, cancelDeletion, { deletionRequestId, act });
  }

  async claimDeletion(claim: promised.Claim): Promise<Deletion | undefined> {
    for (const owed of this.#leases.owed) await this.#postpone(owed);
    const deletion = await this.#in(deletions, (tx) => claimDeletion(tx, claim));
    if (deletion !== undefined) this.#leases.taken(deletion, claim.claimant);
    return deletion;
  }

  eraseStep(
    deletionRequestId: string,
    recordsMax: number,
    act: promised.Act,
  ): Promise<promised.ErasureStep> {
    return this.#in(deletions, async (tx) => {
      const deletion = await this.#leases.hold(tx, deletionRequestId);
      return eraseStep(tx, deletion, { recordsMax, act });
    });
  }

  async completeDeletion(
    deletionRequestId: string,
    act: promised.Act,
  ): Promise<Deletion | undefined> {
    const verification = await this.#in(deletions, async (tx) => {
      const deletion = await this.#leases.hold(tx, deletionRequestId);
      return completeDeletion(tx, deletion, { act, seal: this.#sealReceipt });
    });
    if (verification.result === "held") {
      throw new StoreError(
        `Something related arrived meanwhile that waits for ${verification.waitingFor}.`,
      );
    }
    if (verification.result === "found") return undefined;
    this.#leases.over(deletionRequestId);
    this.#vacuum.erased();
    return verification.deletion;
  }

  async completeDeletions(
    deletionRequestIds: readonly string[],
    act: promised.Act,
  ): Promise<readonly promised.Completion[]> {
    const outcomes: promised.Completion[] = [];
    for (const id of deletionRequestIds) {
      outcomes.push(await toCompletion(this.completeDeletion(id, act)));
    }
    return outcomes;
  }

  async postponeDeletion(
    deletionRequestId: string,
    why: string,
    nextAttemptAt: number,
  ): Promise<void> {
    const postponement = { deletionRequestId, why, nextAttemptAt };
    this.#leases.owe(postponement);
    await this.#postpone(postponement);
  }

  async #postpone(postponement: Postponement): Promise<void> {
    const { deletionRequestId } = postponement;
    const claimant = this.#leases.claimantOf(deletionRequestId);
    if (claimant !== undefined) {
      await this.#change(deletions, postponeDeletion, { ...postponement, claimant });
    }
    this.#leases.over(deletionRequestId);
  }

  receiptHead(): Promise<ReceiptHead> {
    return this.#read(allOrganizations, receipts.readReceiptHead);
  }

  findReceipt(
    deletionRequestId: string,
    organizationId: string | undefined,
  ): Promise<Receipt | undefined> {
    const scope = oneOrAll(organizationId);
    return this.#read(scope, receipts.findReceipt, deletionRequestId, organizationId);
  }

  listReceipts(afterReceiptNo: number, limit: number): Promise<readonly KeptReceipt[]> {
    return this.#read(allOrganizations, receipts.listReceipts, afterReceiptNo, limit);
  }

  listReceiptKeys(): Promise<readonly ReceiptKey[]> {
    return this.#read(allOrganizations, receipts.listReceiptKeys);
  }

  keepReceiptKey(
    key: ReceiptKey,
    options: promised.KeepKeyOptions,
    act: promised.Act,
  ): Promise<void> {
    return this.#change(allOrganizations, receipts.keepReceiptKey, { key, options, act });
  }

  deletionFigures(now: number): Promise<promised.DeletionFigures> {
    return this.#change(deletions, deletionFigures, now);
  }

  findExpired(query: promised.ExpiryQuery): Promise<promised.ExpiredPart> {
    return this.#in(organization(query.organizationId), (tx) => findExpired(tx, query));
  }

  createOrganization(created: Organization, act: promised.Act): Promise<boolean> {
    return this.#change(organization(created.organizationId), organizations.createOrganization, {
      organization: created,
      act,
    });
  }

  findOrganization(organizationId: string): Promise<Organization | undefined> {
    return this.#read(organization(organizationId), organizations.findOrganization, organizationId);
  }

  listOrganizations(): Promise<readonly Organization[]> {
    return this.#read(allOrganizations, organizations.listOrganizations);
  }

  changeOrganization(
    organizationId: string,
    change: promised.OrganizationChange,
    act: promised.Act,
  ): Promise<Organization | undefined> {
    return this.#change(organization(organizationId), organizations.changeOrganization, {
      organizationId,
      change,
      act,
    });
  }

  createKey(key: promised.NewKey, act: promised.Act): Promise<void> {
    return this.#change(organization(key.organizationId), apiKey.createKey, { key, act });
  }

  listKeys(organizationId: string | undefined): Promise<readonly ApiKey[]> {
    return this.#read(oneOrAll(organizationId), apiKey.listKeys, organizationId);
  }

  findKey(keyId: string): Promise<ApiKey | undefined> {
    return this.#read(credentials, apiKey.findKey, keyId);
  }

  findKeyBySecret(secretHash: Uint8Array): Promise<KeyHolder | undefined> {
    return this.#read(credentials, apiKey.findKeyBySecret, secretHash);
  }

  revokeKey(keyId: string, act: promised.Act): Promise<ApiKey | undefined> {
    return this.#change(allOrganizations, apiKey.revokeKey, { keyId, act });
  }

  rotateKey(
    keyId: string,
    successor: promised.NewKey,
    oldExpiresAt: number,
    act: promised.Act,
  ): Promise<ApiKey | undefined> {
    const args = { keyId, successor, oldExpiresAt, act };
    return this.#change(allOrganizations, apiKey.rotateKey, args);
  }

  createToken(token: promised.NewToken): Promise<void> {
    return this.#change(organization(token.organizationId), accessToken.createToken, { token });
  }

  findCaller(tokenHash: Uint8Array): Promise<Caller | undefined> {
    return this.#read(credentials, accessToken.findCaller, tokenHash);
  }

  credentialsVersion(): Promise<number> {
    return this.#read({}, organizations.readCredentialsVersion);
  }

  async ping(): Promise<void> {
    await this.credentialsVersion();
  }

  probeWrite(): Promise<void> {
    return this.#transaction({}, probeWrite);
  }

  /** Vacuum does, and what it frees is used again. */
  async reclaimSpace(): Promise<boolean> {
    return false;
  }

  async purgeExpired(now: number): Promise<void> {
    await this.#in(allOrganizations, (tx) => purgeExpired(tx, now));
    this.#vacuum.start();
  }

  checkErasure(): Promise<promised.ErasureReport> {
    return checkErasure(this.#database);
  }

  async listAudit(afterEntryNo: number, limit: number): Promise<readonly AuditEntry[]> {
    const rows = await this.#read(allOrganizations, readAuditRows, { afterEntryNo, limit });
    return rows.map(toAuditEntry);
  }

  checkIntegrity(): Promise<promised.IntegrityReport> {
    return checkIntegrity(this.#database);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#jobs.close(), this.#lookUps.close(), this.#vacuum.stop()]);
    await this.#database.close();
  }

  /** For one statement that reads. */
  #transaction<Result>(scope: Scope, work: Work<Result>): Promise<Result> {
    return this.#database.inOneGo(scope, work);
  }

  /** The same for a statement that every engine shares. */
  #read<Args extends readonly unknown[], Result>(
    scope: Scope,
    work: (...args: Args) => Statements<Result>,
    ...args: Args
  ): Promise<Result> {
    return this.#database.inOneGo(scope, (tx) => tx.perform(work, ...args));
  }

  /** Runs statements that every engine shares, in a transaction. */
  #change<Args, Result>(
    scope: Scope,
    work: (args: Args) => Statements<Result>,
    args: Args,
  ): Promise<Result> {
    return this.#database.transaction(scope, (tx) => tx.perform(work, args));
  }

  #in<Result>(scope: Scope, work: Work<Result>): Promise<Result> {
    return this.#database.transaction(scope, work);
  }
}
