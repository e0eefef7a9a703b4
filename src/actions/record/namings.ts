// Finds the transactions that name a person or a company as sender or receiver. No index has these names, so a search
// examines transactions in the order of their ids.

import { setImmediate } from "node:timers/promises";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";

type Place = Omit<RecordKey, "organizationId">;

export interface NamingPart {
  readonly records: readonly Place[];
  /** The last record that was examined; undefined at the end. */
  readonly last: Place | undefined;
}

/** One search examines at most this many records, in parts between which others are served. */
export const examinedMax = 4_000;
const examinedAtOnce = 500;

/** The caller has checked what this person may know. */
export async function readNamingPart(
  app: App,
  {
    organizationId,
    parties,
    after,
  }: Omit<Parameters<App["store"]["readNamings"]>[0], "changesMax">,
): Promise<NamingPart> {
  let last: typeof after = after;
  const records: Place[] = [];
  // A part ends with a whole record.
  for (let examined = 0; examined < examinedMax || last?.changeNo !== undefined;) {
    examined += examinedAtOnce;
    const page = await app.store.readNamings({
      organizationId,
      parties,
      after: last,
      changesMax: examinedAtOnce,
    });
    records.push(...page.namings);
    last = page.last;
    if (last === undefined) break;
    await setImmediate();
  }
  return { records, last };
}
