// Paths that need no credential: each request counts against a limit of its address, so that nobody can keep the service
// busy with them.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Door } from "./door.ts";
import { rateFields, rateLimited } from "./rate-limit.ts";
import { sendError } from "./send-error.ts";

/** False if the address has asked too often; then the request is answered with 429. */
export function admitStranger(door: Door, request: FastifyRequest, reply: FastifyReply): boolean {
  const limited = door.rates.unauthenticated(request.ip);
  if (limited.allowed) return true;
  door.onRateLimited("unauthenticated");
  const headers = rateFields(limited.headers);
  sendError(door, request, { reply, error: rateLimited(limited), headers });
  return false;
}
