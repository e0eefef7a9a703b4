// The interface of the store, and the guarantees of every engine. The methods that run the same statements on every
// engine are those of sql/methods.ts; the others are here.
//
// 1. When a promise resolves, its effect is on stable storage; when it rejects, there was no effect. One exception: if
//    the connection to a server is lost during COMMIT, the error `unavailable` does not say whether there was one.
// 2. Writes that arrive during a commit share the next one, each evaluated separately. Writes and deletion requests
//    take effect in the order of their arrival; other operations may overtake them.
// 3. Every method that accesses data of an organization names the organization.
// 4. Changes that an operator makes in another process take effect within 2 seconds (see credentialsVersion).
// 5. Errors that a caller can cause are AppErrors or named outcomes; anything else is an internal error.

import type { MessagePort } from "node:worker_threads";
import type {
  RecordKey,
  RecordWrite,
  Sighting,
  WriteOutcome,
} from "../../domain/record/record-write.ts";
import type { SharedMethods } from "../sql/methods.ts";
import type { StoreParts } from "../sql/store-parts.ts";
import type { Act } from "./act.ts";
import type { ConnectionSettings, SharedServer } from "./connection-settings.ts";
import type {
  Claim,
  ClaimedDeletion,
  Completion,
  DeletionRequest,
  ErasureStep,
  SealReceipt,
} from "./deletion.ts";
import type { MustHave } from "./ledger.ts";
import type { EngineTraits } from "./engine-traits.ts";

/** What another thread of the process passes to `openRecordWriter` to write records. */
export interface SharedWriter {
  readonly data: SharedWriterData;
  readonly transfer: readonly MessagePort[];
  /** For the young generation of the thread, which V8 would otherwise let grow further, and keep. */
  readonly youngMebibytesMax: number;
}

export type SharedWriterData =
  | { readonly engine: "sqlite"; readonly port: MessagePort }
  | ({ readonly engine: "postgres" } & SharedServer);

export interface RecordStore {
  /** Call only on a store that is served. */
  shareWriter(): SharedWriter;
  /** Makes a write of another thread visible to reads; call before the write is reported to a client. */
  writtenElsewhere(): void;
  /** Rejects waiting and later writes with AppError unavailable. The current transaction is finished. */
  refuseWrites(): void;
  /**
   * If the idempotency mark is known, returns the stored outcome and writes nothing. Throws AppError
   * idempotency_reused, which is the outcome of a draft where each has its own mark.
   */
  writeRecords(write: RecordWrite): Promise<WriteOutcome>;
  findRecord(key: RecordKey): Promise<Sighting | undefined>;
  /** All changes acknowledged by now have this number or a lower one, and none up to it will be added. */
  latestArrival(): Promise<number>;
  /**
   * `settled`: all changes up to this number are stored, and none will be added. This waits for nobody, so acknowledged
   * changes can have higher numbers until earlier writes have ended. `latest`: the highest number that was given out.
   */
  settledArrival(): Promise<SettledArrival>;
}

export interface SettledArrival {
  readonly settled: number;
  readonly latest: number;
}

export interface DeletionStore {
  /**
   * Returns the id of the open deletion, whether or not this request opened it; undefined if there is no such record. A
   * known idempotency key returns the same id again. Throws AppError idempotency_reused.
   */
  requestDeletion(request: DeletionRequest, act: Act): Promise<string | undefined>;
  /**
   * Claims deletions that are due, or whose worker has stopped, at most `deletionsMax`. In one transaction they become
   * `processing` and their plans are stored; from then on writes to what will be erased are refused. A deletion under a
   * hold stays `pending`, with the reason, and so does one whose plan fails, which is returned with its `failure`. If
   * none is claimed, nothing is due; otherwise more may be.
   */
  claimDeletions(claim: Claim, deletionsMax: number): Promise<readonly ClaimedDeletion[]>;
  /**
   * Processes the next part of the plans of some of these deletions, at most `recordsMax` records, in one transaction.
   * Earlier deletions in the list take precedence. The deletion of an organization has to be the only one.
   */
  eraseStep(
    deletionRequestIds: readonly string[],
    recordsMax: number,
    act: Act,
  ): Promise<ErasureStep>;
  /**
   * Verifies deletions and completes those with nothing left to erase, each with its own receipt, in one transaction:
   * so no completion exists without its receipt. If anything is found (a related record that arrived meanwhile), it is
   * added to the plan. The results are in order.
   */
  completeDeletions(
    deletionRequestIds: readonly string[],
    act: Act,
  ): Promise<readonly Completion[]>;
}

export interface UpkeepStore {
  /** Rejects if the store can't answer. */
  ping(): Promise<void>;
  /** Does what a write does, without a lasting effect. Rejects if writes would be refused. */
  probeWrite(): Promise<void>;
  /** From now on uses only connections that are made after this. Does nothing on an engine that has none. */
  renewConnections(): void;
  /**
   * Removes residue of records from a bounded part of the free space, if the engine can; true if there is more to do.
   */
  scrubSome(): Promise<boolean>;
  /** Checks the integrity of the engine's files, the invariants of the store, and the audit chain. */
  checkIntegrity(): Promise<IntegrityReport>;
  /** Scans files and tables for data that completed deletions should have erased. */
  checkErasure(): Promise<ErasureReport>;
  /** Finishes accepted operations, then closes. */
  close(): Promise<void>;
}

type Shared = Omit<SharedMethods, "store" | "overview"> & SharedMethods["store"];

export interface Store extends Shared, RecordStore, DeletionStore, UpkeepStore {
  readonly engine: "sqlite" | "postgres";
  readonly traits: EngineTraits;
  readonly overview: SharedMethods["overview"] & {
    /** Returns the size on disk: of the files of the store, or of the database. */
    sizeBytes(): Promise<number>;
  };
  /** The version of the tables, to which opening has migrated them. */
  readonly schemaVersion: number;
}

export interface GroupFigures {
  readonly writes: number;
  readonly seconds: number;
}

export interface StoreOptions {
  /** What features have in the store. */
  readonly parts: StoreParts;
  /** `serve` takes the right to serve, and the open deletions; `replay` does so without serving. */
  readonly role: "serve" | "command" | "replay";
  /** Unless this is true, a store that is being restored is refused: erased data may be readable in it. */
  readonly restoring?: boolean;
  /** True if a missing store is an error rather than created. */
  readonly existing?: boolean;
  /** For a command that writes much: its writes don't block its thread. No effect in other roles, or on servers. */
  readonly writesBeside?: boolean;
  readonly onGroup?: (figures: GroupFigures) => void;
  /** Called with a sentence for the operator while the store is opened: what it waits for, or what is unsafe. */
  readonly onNotice?: (text: string) => void;
  /** Signs receipts. Only tests of an engine omit it; their deletions are completed without a receipt. */
  readonly sealReceipt?: SealReceipt;
  readonly connections?: ConnectionSettings;
  /** For a serving process: a new connection to a server that lacks some of this is not used. */
  readonly mustHave?: () => Promise<MustHave>;
}

/** The findings of a kind that are listed. */
export const findingsMax = 100;

export interface IntegrityReport {
  readonly ok: boolean;
  readonly findings: readonly string[];
  /** For information only; undefined if there is none. */
  readonly notes?: readonly string[];
}

export interface ErasureFinding {
  /** True if erased data may still be found. */
  readonly severe: boolean;
  readonly text: string;
}

export interface ErasureReport {
  readonly findings: readonly ErasureFinding[];
}
