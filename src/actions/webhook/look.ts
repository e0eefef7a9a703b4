// Queries what has happened since the last query, once for all endpoints of webhooks: it decides which endpoints
// without pending messages have to be examined one by one.

import type { App } from "../app.ts";
import { FeedCipher } from "../change/offset.ts";
import type { Ends } from "./next-message.ts";

export interface Looked {
  /** The results of the last query and of this one. */
  readonly seen: Ends;
  readonly ends: Ends;
  /** The organizations with events of deletions since `seen`, and those that may have changes. */
  readonly told: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
}

export async function lookForNews(
  { store }: Pick<App, "store">,
  organizations: readonly string[],
  last: Ends | undefined,
): Promise<Looked> {
  const { no: entryNo } = await store.trail.head();
  const { settled: changeNo } = await store.settledArrival();
  const ends = { entryNo, changeNo };
  const seen = last ?? ends;
  const told =
    entryNo > seen.entryNo
      ? await store.webhooks.findNews({ after: seen.entryNo, through: entryNo })
      : [];
  const range = { organizations, after: seen.changeNo, through: changeNo };
  const changed = changeNo > seen.changeNo ? await store.arrivals.find(range) : [];
  return { seen, ends, told: new Set(told), changed: new Set(changed) };
}

/** Ends the leases of the process that served an embedded store before, which may have been killed. */
export async function beginSending({ store }: Pick<App, "store">): Promise<FeedCipher> {
  if (!store.traits.isServer) await store.webhooks.releaseAll();
  return new FeedCipher(await store.receiptSaltKey());
}
