// The limit of paths that need no credential, so that nobody can keep the service busy with them.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";
import { sendError } from "../reply/send-error.ts";
import { rateFields, rateLimited } from "./rate-limit.ts";

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
