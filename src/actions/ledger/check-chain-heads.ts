// Checks whether a store has a chain link that its ledger knows. Without it, the store was rolled back to an earlier
// state.

import type { ChainHead } from "../../domain/deletion/ledger-entry.ts";
import type { App } from "../app.ts";

export async function isInTrail({ store }: App, link: ChainHead | undefined): Promise<boolean> {
  if (link === undefined || link.no === 0) return true;
  const [entry] = await store.listAudit(link.no - 1, 1);
  return entry?.entryNo === link.no && entry.hash === link.hash;
}

export async function isReceipt({ store }: App, link: ChainHead | undefined): Promise<boolean> {
  if (link === undefined || link.no === 0) return true;
  const [stored] = await store.listReceipts(link.no - 1, 1);
  return stored?.receipt.receipt_no === link.no && stored.hash === link.hash;
}
