// Fills a store with transactions, and checks that belong to some of them, as fast as the store accepts lists.

import { hash } from "node:crypto";
import type { Store } from "../src/store/interface/store.ts";
import { draftOf } from "../test/conformance/scene.ts";

/** Neighbouring records, which are of one type. */
export const listItems = 1_000;
const listsAtOnce = 4;

export interface Filling {
  readonly organizationId: string;
  readonly records: number;
  /** `random` spreads neighbouring ids over the whole store, as random identifiers do. */
  readonly ids: "ordered" | "random";
}

/** The id of a record by its number. */
export function idOf(number: number, ids: Filling["ids"]): string {
  const name = String(number).padStart(12, "0");
  return ids === "random" ? hash("sha256", name).slice(0, 32) : name;
}

/** A fifth of the records are checks. */
export function isOfTransactions(list: number): boolean {
  return list % 5 !== 4;
}

export async function fill(store: Store, { organizationId, records, ids }: Filling): Promise<void> {
  const lists = Math.ceil(records / listItems);
  let next = 0;
  async function fillPart(): Promise<void> {
    while (next < lists) {
      const list = next;
      next += 1;
      const ofChecks = !isOfTransactions(list);
      const drafts = Array.from({ length: listItems }, (_, index) => {
        const id = idOf(list * listItems + index, ids);
        return ofChecks
          ? draftOf("transaction_check", id, { related_tx_ids: [idOf(index, ids)] })
          : draftOf("transaction", id);
      });
      await store.writeRecords({
        organizationId,
        resourceType: ofChecks ? "transaction_check" : "transaction",
        mode: "add",
        lenient: false,
        receivedAt: Date.now(),
        drafts,
      });
    }
  }
  await Promise.all(Array.from({ length: listsAtOnce }, fillPart));
}
