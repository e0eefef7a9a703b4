// Which recipients were informed about what a deletion has erased, and which have acknowledged it, as far as a reader
// may know of the types.

import { hash } from "node:crypto";
import { mayCount, type Reader } from "../../domain/confidentiality.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { Receipt } from "../../domain/deletion/receipt.ts";
import {
  makeStatement,
  type RecipientStatement,
} from "../../domain/deletion/recipient-statement.ts";
import { recordTypeByName } from "../../domain/record-types.ts";
import type { App } from "../app.ts";

export interface ToldView {
  readonly name: string;
  readonly told_at: string;
  /** Present once the recipient has acknowledged everything. */
  readonly acknowledged_at?: string;
  /** Present if the recipient was removed before that. */
  readonly removed_at?: string;
  /** Present if something that it was told was erased before that, because of its age. */
  readonly expired_at?: string;
}

/** Empty unless the deletion is completed. */
export async function readTold(
  { store }: App,
  { deletionRequestId, organizationId, status }: Deletion,
  reader: Reader,
): Promise<readonly ToldView[]> {
  if (status !== "completed") return [];
  const rows = await store.listTold(deletionRequestId, organizationId);
  const known = rows.filter(({ resourceType }) => {
    const type = recordTypeByName(resourceType);
    return type !== undefined && mayCount(reader, type);
  });
  return [...Map.groupBy(known, ({ name }) => name)].map(([name, of]) => {
    const acknowledged = latest(of.map(({ acknowledgedAt }) => acknowledgedAt));
    const removed = of.flatMap(({ removedAt }) => removedAt ?? []);
    const expired = of.flatMap(({ expiredAt }) => expiredAt ?? []);
    return {
      name,
      told_at: formatTime(Math.max(...of.map(({ toldAt }) => toldAt))),
      ...(acknowledged === undefined ? {} : { acknowledged_at: formatTime(acknowledged) }),
      ...(removed.length === 0 ? {} : { removed_at: formatTime(Math.max(...removed)) }),
      ...(expired.length === 0 ? {} : { expired_at: formatTime(Math.min(...expired)) }),
    };
  });
}

/** Undefined before all have acknowledged, except recipients that were removed, and without a key to sign. */
export function stateAcknowledged(
  app: App,
  receipt: Receipt | undefined,
  recipients: readonly ToldView[],
): RecipientStatement | undefined {
  const left = recipients.filter(({ removed_at }) => removed_at === undefined);
  const acknowledged = left.flatMap(({ name, told_at, acknowledged_at }) =>
    acknowledged_at === undefined ? [] : [{ name, told_at, acknowledged_at }],
  );
  if (receipt === undefined || acknowledged.length === 0) return undefined;
  const signer = acknowledged.length === left.length ? app.signer() : undefined;
  if (signer === undefined) return undefined;
  return makeStatement(receipt, { recipients: acknowledged, hash: sha256, signer });
}

function sha256(text: string): string {
  return hash("sha256", text);
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.flatMap((time) => time ?? []);
  return known.length < times.length ? undefined : Math.max(...known);
}

function formatTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
