// Rejects requests beyond a limit, with 429.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";
import type { RequestContext } from "../reply/reply.ts";
import { sendError } from "../reply/send-error.ts";
import { type Limited, rateFields, rateLimited } from "./rate-limit.ts";

/** Throws AppError rate_limited. Either way the reply has the headers of this limit. `name`: the label in the metrics. */
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

/**
 * Counts a request that needs no credential against its address, so that nobody can keep the service busy with them. False
 * if the address is over its limit; then the request is answered with 429.
 */
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
