// Forgets what is past its time, a bounded part a call: expired tokens and kept replies. Never touches records.

import { limits } from "../../domain/limits.ts";
import { purgeTokens } from "./access-token.ts";
import type { Group } from "./group.ts";
import { purgeReplies } from "./idempotency.ts";

export function purgeExpired({ connection }: Group, { now }: { readonly now: number }): void {
  purgeTokens(connection, now - limits.expiredTokensKeptMs, limits.purgedRowsMax);
  purgeReplies(connection, now - limits.idempotencyKeptMs, limits.purgedRowsMax);
}
