// Finds the transactions that name a person or a company as sender or receiver, a bounded number at a time.

import { setImmediate } from "node:timers/promises";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";

type Place = Omit<RecordKey, "organizationId">;

export interface NamingPart {
  readonly records: readonly Place[];
  /** The number of the change after which the next part begins; undefined at the end. */
  readonly last: number | undefined;
}

/** One search finds about this many records, in parts between which others are served. */
const examinedMax = 4_000;
const recordsAtOnce = 500;

/** The caller has checked what this person may know. */
export async function readNamingPart(
  app: App,
  query: Omit<Parameters<App["store"]["readNamings"]>[0], "recordsMax">,
): Promise<NamingPart> {
  let last: number | undefined = query.after;
  const records = new Map<string, Place>();
  do {
    const part = { ...query, after: last, recordsMax: recordsAtOnce };
    const page = await app.store.readNamings(part);
    for (const one of page.namings) records.set(`${one.resourceType} ${one.resourceId}`, one);
    ({ last } = page);
    await setImmediate();
  } while (last !== undefined && records.size < examinedMax);
  return { records: [...records.values()], last };
}
