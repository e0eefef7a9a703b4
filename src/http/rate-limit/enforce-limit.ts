// Refuses a request that is beyond a limit, and charges one for its work.

import type { FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";
import { tokensOf, type Work } from "../load/work-tokens.ts";
import type { HandlerInput } from "../operation.ts";
import { type Limited, rateLimited } from "./rate-limit.ts";

/** Throws AppError rate_limited. Either way the reply has the headers of this limit. */
export function enforceLimit(
  context: HttpContext,
  request: FastifyRequest,
  limited: Limited,
): void {
  request.rate = limited.headers;
  if (limited.allowed) return;
  context.onRateLimited(limited.limit);
  throw rateLimited(limited);
}

/** The first token was taken before the request was read. */
export function charge(
  { rates }: HttpContext,
  { request, caller }: Pick<HandlerInput, "request" | "caller">,
  work: Work,
): void {
  const tokens = tokensOf(work) - 1;
  if (tokens > 0) request.rate = rates.work(caller, tokens).headers;
}

/** Throws AppError rate_limited if the address is over its limit; otherwise the reply does not name the limit. */
export function limitUnauthenticated(context: HttpContext, request: FastifyRequest): void {
  const limited = context.rates.unauthenticated(request.ip);
  if (!limited.allowed) enforceLimit(context, request, limited);
}
