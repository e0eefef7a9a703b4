// Forgets what is past its time, a bounded part a call: expired tokens and kept replies. Never touches records.

import { limits } from "../../domain/limits.ts";
import { purgeTokens } from "../sql/access-token.ts";
import type { Group } from "./commit/group.ts";
import { purgeReplies } from "./commit/idempotency.ts";

export function purgeExpired({ connection }: Group, { now }: { readonly now: number }): void {
  const before = now - limits.expiredTokensKeptMs;
  connection.perform(purgeTokens, { before, rowsMax: limits.purgedRowsMax });
  purgeReplies(connection, now - limits.idempotencyKeptMs, limits.purgedRowsMax);
}
