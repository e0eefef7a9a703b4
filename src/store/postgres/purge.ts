// Forgets what is past its time, a bounded part a call: expired tokens and kept replies. Never touches records.

import { limits } from "../../domain/limits.ts";
import { purgeTokens } from "../sql/access-token.ts";
import { purgeReplies } from "./commit/idempotency.ts";
import type { Transaction } from "./transaction.ts";

export async function purgeExpired(transaction: Transaction, now: number): Promise<void> {
  const rowsMax = limits.purgedRowsMax;
  await transaction.perform(purgeTokens, { before: now - limits.expiredTokensKeptMs, rowsMax });
  await purgeReplies(transaction, { before: now - limits.idempotencyKeptMs, rowsMax });
}
