// The audit trail and what it is compared with, on every engine. Never contains content of records.

import type { Deletion } from "../domain/deletion/deletion.ts";
import type { ChainHead } from "../domain/deletion/ledger-entry.ts";
import type { RecordKey } from "../domain/record/record-write.ts";
import type { Receipt } from "../domain/deletion/receipt.ts";
import type { Act } from "./act.ts";

export interface StoredReceipt {
  readonly receipt: Receipt;
  readonly hash: string;
}

/** An act that does not change the store, such as showing a record. */
export interface AuditNote {
  readonly action: string;
  readonly organizationId: string | undefined;
  /** The trail outlives a record, so it has only the type of a record and a digest of its id. */
  readonly subject: string | RecordKey;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface TrailStore {
  /** The last entry. */
  head(): Promise<ChainHead>;
  note(note: AuditNote, act: Act): Promise<void>;
  /** Of all organizations, in no particular order; unknown ids are skipped. */
  findDeletions(deletionRequestIds: readonly string[]): Promise<readonly Deletion[]>;
  /** Of all organizations, in the order of ids. */
  listDeletions(afterId: string, limit: number): Promise<readonly Deletion[]>;
  findReceipts(deletionRequestIds: readonly string[]): Promise<readonly StoredReceipt[]>;
}
