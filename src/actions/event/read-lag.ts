// How far receivers of events are behind the audit trail. Never says by how many entries: readers of metrics may not
// know how many there are.

import type { EventDestination } from "../../domain/event.ts";
import type { App } from "../app.ts";

/** How many seconds the oldest entry that a receiver lacks has waited; 0 if it lacks none. */
export async function readLag(
  { store, now }: Pick<App, "store" | "now">,
  destinations: readonly EventDestination[],
): Promise<Readonly<Record<string, number>>> {
  if (destinations.length === 0) return {};
  const cursors = await store.events.list();
  const lags = destinations.map(async (destination) => {
    const cursor = cursors.find((one) => one.destination === destination);
    const [oldest] = await store.listAudit(cursor?.entryNo ?? 0, 1);
    const lagMs = oldest === undefined ? 0 : now() - oldest.at;
    return [destination, Math.max(0, lagMs) / 1_000] as const;
  });
  return Object.fromEntries(await Promise.all(lags));
}
