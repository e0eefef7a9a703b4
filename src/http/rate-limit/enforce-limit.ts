// Refuses a request that is beyond a limit, and charges one for its work.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";
import { tokensOf, type Work } from "../load/work-tokens.ts";
import type { HandlerInput } from "../operation.ts";
import type { RequestContext } from "../reply/reply.ts";
import { sendError } from "../reply/send-error.ts";
import { type Limited, rateFields, rateLimited } from "./rate-limit.ts";

/** Throws AppError rate_limited. Either way the reply has the headers of this limit. */
export function enforceLimit(
  context: HttpContext,
  limited: Limited,
  { requestContext, name }: { readonly requestContext: RequestContext; readonly name: string },
): void {
  requestContext.rate = limited.headers;
  if (limited.allowed) return;
  context.onRateLimited(name);
  throw rateLimited(limited);
}

/** The first token was taken before the request was read. */
export function charge(
  context: HttpContext,
  { requestContext, caller }: Pick<HandlerInput, "requestContext" | "caller">,
  work: Work,
): void {
  const tokens = tokensOf(work) - 1;
  if (tokens > 0) requestContext.rate = context.rates.work(caller, tokens).headers;
}

/** False if the address is over its limit; then the request is answered with 429. */
export function limitUnauthenticated(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  const limited = context.rates.unauthenticated(request.ip);
  if (limited.allowed) return true;
  context.onRateLimited("unauthenticated");
  const headers = rateFields(limited.headers);
  sendError(context, request, { reply, error: rateLimited(limited), headers });
  return false;
}
