// Refuses to open a database to which an embedded store is being moved, except for the move itself.

import { StoreError } from "../../interface/store-error.ts";
import type { Transaction } from "../transaction.ts";

const findMove = `SELECT store_id FROM move WHERE single`;

/** An incomplete store must be neither served nor changed. */
export async function refuseUnfinishedMove(transaction: Transaction): Promise<void> {
  const found = await transaction.get<{ store_id: string }>(findMove);
  if (found === undefined) return;
  throw new StoreError(
    `The move of the embedded store ${found.store_id} to the database that DATABASE_URL names is not finished. Run ` +
      "`sluice move` again with the DATABASE_URL of the embedded store; it continues where it stopped. Or recreate " +
      "the database.",
  );
}
