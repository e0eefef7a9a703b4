// Who was informed about what a deletion has erased, and who has acknowledged it, as far as a reader may know of the
// types.

import { mayCount, type Reader } from "../../domain/confidentiality.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { recordTypeByName } from "../../domain/record-types.ts";
import type { App } from "../app.ts";

export interface ToldView {
  readonly name: string;
  readonly told_at: string;
  /** Present once the recipient has acknowledged everything. */
  readonly acknowledged_at?: string;
  /** Present if the recipient was removed before that. */
  readonly removed_at?: string;
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
    return {
      name,
      told_at: formatTime(Math.max(...of.map(({ toldAt }) => toldAt))),
      ...(acknowledged === undefined ? {} : { acknowledged_at: formatTime(acknowledged) }),
      ...(removed.length === 0 ? {} : { removed_at: formatTime(Math.max(...removed)) }),
    };
  });
}

/** Undefined if any is. */
function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.flatMap((time) => time ?? []);
  return known.length < times.length ? undefined : Math.max(...known);
}

function formatTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
