// The checks before every v2.0 operation, and before its body is read: the caller, its rate limit, its scopes.

import type { FastifyRequest } from "fastify";
import type { Identity } from "../../actions/access/caller-cache.ts";
import { identifyCaller, requireScope } from "../../actions/access/identify-caller.ts";
import { AppError } from "../../domain/error.ts";
import type { Scope } from "../../domain/scope.ts";
import type { HttpContext } from "../http-context.ts";
import { enforceLimit } from "../rate-limit/enforce-limit.ts";
import type { RequestContext } from "../reply/reply.ts";

/** Throws AppError credential_*, rate_limited or insufficient_scope. Synchronous for a caller in memory, for speed. */
export function authenticate(
  context: HttpContext,
  request: FastifyRequest,
  { requestContext, scopes }: { requestContext: RequestContext; scopes: readonly Scope[] },
): void | Promise<void> {
  let caller: Identity | Promise<Identity>;
  try {
    caller = identifyCaller(context.app, request.headers.authorization);
  } catch (error) {
    return refuseCredential(context, request, { error });
  }
  const admit = (found: Identity): void => {
    requestContext.caller = found;
    enforceLimit(context, request, context.rates.organization(found));
    requireScope(found, ...scopes);
  };
  if (!(caller instanceof Promise)) return admit(caller);
  return caller.then(admit, (error: unknown) => refuseCredential(context, request, { error }));
}

/** Counts a failed authentication against its address; beyond the limit the answer is 429 instead of 401. */
export function refuseCredential(
  context: HttpContext,
  request: FastifyRequest,
  { error, where = "api" }: { readonly error: unknown; readonly where?: "api" | "metrics" },
): never {
  if (!isCredentialError(error)) throw error;
  context.failures.note(request.ip, where);
  enforceLimit(context, request, context.rates.failedAuthentication(request.ip));
  throw error;
}

export function isCredentialError(error: unknown): boolean {
  return error instanceof AppError && error.errorName.startsWith("credential_");
}
