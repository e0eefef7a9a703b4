// Limits attempts to sign in, by address. Every attempt counts, whether or not it succeeds.

import { rateLimited } from "../../http/rate-limit/rate-limit.ts";
import type { Visitor } from "../request/request.ts";

/** Throws AppError rate_limited. */
export async function requireAttempt({ context, request }: Visitor): Promise<void> {
  const limited = await context.rates.signIn(request.ip);
  if (limited.allowed) return;
  context.onRateLimited("sign-in");
  throw rateLimited(limited);
}
