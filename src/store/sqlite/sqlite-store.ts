// The store on SQLite: which of its methods reads, which asks the writer, and in which order it opens and closes. Holds no
// SQL, and decides nothing about records.

import type {
  ApiKey,
  AuditEntry,
  Caller,
  Hold,
  KeyHolder,
  Organization,
} from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion.ts";
import type {
  RecordHistory,
  RecordKey,
  RecordWrite,
  Sighting,
  WriteOutcome,
} from "../../domain/record-write.ts";
import type * as promised from "../store.ts";
import { StoreError } from "../store-error.ts";
import { findCaller } from "./access-token.ts";
import { findKey, findKeyBySecret, listKeys } from "./api-key.ts";
import { readAuditRows, toAuditEntry } from "./audit.ts";
import { type Connection, openReader, openWriter } from "./connection.ts";
import { deletionFigures, findDeletion, listDeletions } from "./deletion.ts";
import { SharedDescriptor } from "./descriptor.ts";
import { listHolds } from "./hold.ts";
import { checkIntegrity } from "./integrity.ts";
import { migrate } from "./migrate.ts";
import type { OperationArgs, OperationName, OperationResult } from "./operation.ts";
import { findOrganization, listOrganizations, readCredentialsVersion } from "./organization.ts";
import { type PackedOutcome, unpackOutcome } from "./packed-outcome.ts";
import { countRecords, findRecord, readHistory } from "./record.ts";
import { runHere, type Runner, startWriterThread } from "./runner.ts";
import { type ServingRight, takeServingRight } from "./serving-right.ts";
import { WriteQueue } from "./write-queue.ts";

/** Opens the file, made if need be. Throws StoreError. */
export async function openSqliteStore(
  path: string,
  options: promised.StoreOptions,
): Promise<promised.Store> {
  if (options.role === "command") return openForCommand(path, options);
  const right = takeServingRight(path);
  try {
    return await openForServing(path, { ...options, right });
  } catch (error) {
    right.release();
    throw error;
  }
}

/** Reads and writes on one connection, here: it starts fast, and a command waits for its writes anyway. */
function openForCommand(path: string, options: promised.StoreOptions): SqliteStore {
  const descriptor = new SharedDescriptor(path);
  try {
    const connection = openWriter(path);
    migrate(connection);
    const queue = new WriteQueue(runHere(connection), options.onGroup);
    return new SqliteStore({ reader: connection, queue, descriptor });
  } catch (error) {
    descriptor.release();
    throw error;
  }
}

async function openForServing(
  path: string,
  options: promised.StoreOptions & { readonly right: ServingRight },
): Promise<SqliteStore> {
  const descriptor = new SharedDescriptor(path);
  let runner: Runner | undefined;
  try {
    runner = await startWriterThread(path);
    const queue = new WriteQueue(runner, options.onGroup);
    const reader = openReader(path);
    const store = new SqliteStore({ reader, queue, descriptor, right: options.right });
    await store.takeOver();
    return store;
  } catch (error) {
    await runner?.close();
    descriptor.release();
    throw error;
  }
}

interface Parts {
  readonly reader: Connection;
  readonly queue: WriteQueue;
  readonly descriptor: SharedDescriptor;
  readonly right?: ServingRight;
}

class SqliteStore implements promised.Store {
  readonly engine = "sqlite";
  readonly #reader: Connection;
  readonly #queue: WriteQueue;
  readonly #descriptor: SharedDescriptor;
  readonly #right: ServingRight | undefined;
  #closed: Promise<void> | undefined;

  constructor({ reader, queue, descriptor, right }: Parts) {
    this.#reader = reader;
    this.#queue = queue;
    this.#descriptor = descriptor;
    this.#right = right;
  }

  /** Deletions that were under way in a process that is gone can be claimed at once. */
  async takeOver(): Promise<void> {
    await this.#perform("voidAllLeases", undefined);
  }

  async writeRecords(write: RecordWrite): Promise<WriteOutcome> {
    return unpackOutcome((await this.#queue.submit(write)) as PackedOutcome);
  }

  async findRecord(key: RecordKey): Promise<Sighting | undefined> {
    return findRecord(this.#reader, key);
  }

  async readHistory(key: RecordKey): Promise<RecordHistory | undefined> {
    return readHistory(this.#reader, key);
  }

  async countRecords(organizationId: string): Promise<Readonly<Record<string, number>>> {
    return countRecords(this.#reader, organizationId);
  }

  async requestDeletion(
    request: promised.DeletionRequest,
    act: promised.Act,
  ): Promise<string | undefined> {
    return (await this.#perform("requestDeletion", { request, act })) ?? undefined;
  }

  async findDeletion(
    deletionRequestId: string,
    organizationId: string | undefined,
  ): Promise<Deletion | undefined> {
    return findDeletion(this.#reader, deletionRequestId, organizationId);
  }

  async listDeletions(filter: promised.DeletionFilter): Promise<readonly Deletion[]> {
    return listDeletions(this.#reader, filter);
  }

  cancelDeletion(deletionRequestId: string, act: promised.Act): Promise<promised.CancelOutcome> {
    return this.#perform("cancelDeletion", { deletionRequestId, act });
  }

  placeHold(key: RecordKey, reason: string, act: promised.Act): Promise<promised.HoldOutcome> {
    return this.#perform("placeHold", { key, reason, act });
  }

  releaseHold(key: RecordKey, act: promised.Act): Promise<Hold | undefined> {
    return this.#perform("releaseHold", { key, act });
  }

  async listHolds(organizationId: string | undefined): Promise<readonly Hold[]> {
    return listHolds(this.#reader, organizationId);
  }

  claimDeletion(claim: promised.Claim): Promise<Deletion | undefined> {
    return this.#perform("claimDeletion", { claim });
  }

  eraseStep(
    deletionRequestId: string,
    recordsMax: number,
    act: promised.Act,
  ): Promise<promised.ErasureStep> {
    return this.#perform("eraseStep", { deletionRequestId, recordsMax, act });
  }

  async completeDeletion(
    deletionRequestId: string,
    act: promised.Act,
  ): Promise<Deletion | undefined> {
    const args = { deletionRequestId, act };
    let look = await this.#perform("verifyErasure", args);
    if (look.result === "clean") {
      const descriptor = this.#descriptor.get();
      const pages = await this.#findResidue(descriptor);
      const last = await this.#perform("completeDeletion", { ...args, descriptor, pages });
      if (!("result" in last)) return last;
      look = last;
    }
    if (look.result === "held") {
      throw new StoreError(
        `Something related arrived meanwhile that waits for ${look.waitingFor}.`,
      );
    }
    return undefined;
  }

  /** What erasing left in the file: the log has to be brought into the file before, so that all of it is there. */
  async #findResidue(descriptor: number): Promise<readonly number[]> {
    await this.#perform("emptyLog", undefined);
    const found: number[] = [];
    let firstPage: number | undefined = 1;
    while (firstPage !== undefined) {
      const part: OperationResult<"findResidue"> = await this.#perform("findResidue", {
        descriptor,
        firstPage,
      });
      found.push(...part.pages);
      firstPage = part.nextPage;
    }
    return found;
  }

  postponeDeletion(deletionRequestId: string, why: string, nextAttemptAt: number): Promise<void> {
    return this.#perform("postponeDeletion", { deletionRequestId, why, nextAttemptAt });
  }

  async deletionFigures(now: number): Promise<promised.DeletionFigures> {
    return deletionFigures(this.#reader, now);
  }

  createOrganization(organization: Organization, act: promised.Act): Promise<boolean> {
    return this.#perform("createOrganization", { organization, act });
  }

  async findOrganization(organizationId: string): Promise<Organization | undefined> {
    return findOrganization(this.#reader, organizationId);
  }

  async listOrganizations(): Promise<readonly Organization[]> {
    return listOrganizations(this.#reader);
  }

  changeOrganization(
    organizationId: string,
    change: promised.OrganizationChange,
    act: promised.Act,
  ): Promise<Organization | undefined> {
    return this.#perform("changeOrganization", { organizationId, change, act });
  }

  createKey(key: promised.NewKey, act: promised.Act): Promise<void> {
    return this.#perform("createKey", { key, act });
  }

  async listKeys(organizationId: string | undefined): Promise<readonly ApiKey[]> {
    return listKeys(this.#reader, organizationId);
  }

  async findKey(keyId: string): Promise<ApiKey | undefined> {
    return findKey(this.#reader, keyId);
  }

  async findKeyBySecret(secretHash: Uint8Array): Promise<KeyHolder | undefined> {
    return findKeyBySecret(this.#reader, secretHash);
  }

  revokeKey(keyId: string, act: promised.Act): Promise<ApiKey | undefined> {
    return this.#perform("revokeKey", { keyId, act });
  }

  rotateKey(
    keyId: string,
    successor: promised.NewKey,
    oldExpiresAt: number,
    act: promised.Act,
  ): Promise<ApiKey | undefined> {
    return this.#perform("rotateKey", { keyId, successor, oldExpiresAt, act });
  }

  createToken(token: promised.NewToken): Promise<void> {
    return this.#perform("createToken", { token });
  }

  async findCaller(tokenHash: Uint8Array): Promise<Caller | undefined> {
    return findCaller(this.#reader, tokenHash);
  }

  async credentialsVersion(): Promise<number> {
    return readCredentialsVersion(this.#reader);
  }

  async ping(): Promise<void> {
    readCredentialsVersion(this.#reader);
    await this.#perform("ping", undefined);
  }

  purgeExpired(now: number): Promise<void> {
    return this.#perform("purgeExpired", { now });
  }

  async listAudit(afterEntryNo: number, limit: number): Promise<readonly AuditEntry[]> {
    return readAuditRows(this.#reader, { afterEntryNo, limit }).map(toAuditEntry);
  }

  async checkIntegrity(): Promise<promised.IntegrityReport> {
    return checkIntegrity(this.#reader);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    if (this.#right !== undefined) this.#reader.close();
    await this.#queue.close();
    this.#descriptor.release();
    this.#right?.release();
  }

  async #perform<Name extends OperationName>(
    name: Name,
    args: OperationArgs<Name>,
  ): Promise<OperationResult<Name>> {
    return (await this.#queue.submit({ name, args })) as OperationResult<Name>;
  }
}
