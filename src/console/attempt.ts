// The limit of attempts to sign in, by address: the one of failed authentications of the API, in which every attempt counts.

import { rateLimited } from "../http/rate-limit/rate-limit.ts";
import type { Visitor } from "./request.ts";

/** Throws AppError rate_limited. */
export async function requireAttempt({ context, request }: Visitor): Promise<void> {
  const limited = await context.rates.failedAuthentication(request.ip);
  if (limited.allowed) return;
  context.onRateLimited("failed-authentication");
  throw rateLimited(limited);
}
