// The checks before every v2.0 operation: who calls, at what rate, with which scope. Runs before a body is read.

import type { FastifyRequest } from "fastify";
import type { Identity } from "../../actions/caller-cache.ts";
import { identifyCaller } from "../../actions/identify-caller.ts";
import { AppError } from "../../domain/error.ts";
import type { Scope } from "../../domain/scope.ts";
import type { HttpContext } from "../http-context.ts";
import { type Limited, rateLimited } from "../rate-limit/rate-limit.ts";
import type { RequestContext } from "../reply/reply.ts";

/** Fills in `requestContext.caller`; throws credential_*, rate_limited or insufficient_scope. Synchronous for a known caller. */
export function authenticate(
  context: HttpContext,
  request: FastifyRequest,
  { requestContext, scopes }: { requestContext: RequestContext; scopes: readonly Scope[] },
): void | Promise<void> {
  let caller: Identity | Promise<Identity>;
  try {
    caller = identifyCaller(context.app, request.headers.authorization);
  } catch (error) {
    return refuse(context, request, { requestContext, error });
  }
  if (!(caller instanceof Promise))
    return checkRateLimit(context, caller, { requestContext, scopes });
  return caller.then(
    (found) => checkRateLimit(context, found, { requestContext, scopes }),
    (error: unknown) => refuse(context, request, { requestContext, error }),
  );
}

interface Admission {
  readonly requestContext: RequestContext;
  readonly scopes: readonly Scope[];
}

function checkRateLimit(
  context: HttpContext,
  caller: Identity,
  admission: Admission,
): void | Promise<void> {
  admission.requestContext.caller = caller;
  const limited = context.rates.organization(caller);
  if (limited instanceof Promise)
    return limited.then((found) => checkAdmission(context, found, admission));
  checkAdmission(context, limited, admission);
}

function checkAdmission(
  context: HttpContext,
  limited: Limited,
  { requestContext, scopes }: Admission,
): void {
  requestContext.rate = limited.headers;
  if (!limited.allowed) {
    context.onRateLimited("organization");
    throw rateLimited(limited);
  }
  if (
    scopes.length > 0 &&
    !scopes.some((scope) => requestContext.caller?.covered.has(scope) ?? false)
  ) {
    throw new AppError("insufficient_scope", {
      message: `The access token lacks the scope ${scopes.join(" or ")}; request a token that has it.`,
    });
  }
}

/**
 * For a request under /v2 that no operation takes: it counts as one of its organization, or as a failed authentication.
 * One without a credential counts for nothing, and is told the limit of its address. Throws rate_limited.
 */
export async function countUnknownPath(
  context: HttpContext,
  request: FastifyRequest,
  requestContext: RequestContext,
): Promise<void> {
  if (request.headers.authorization === undefined) {
    const asked = context.rates.failuresLeft(request.ip);
    requestContext.rate = (asked instanceof Promise ? await asked : asked).headers;
    return;
  }
  try {
    await authenticate(context, request, { requestContext, scopes: [] });
  } catch (error) {
    const isRefusal = error instanceof AppError && error.errorName.startsWith("credential_");
    if (!isRefusal) throw error;
  }
}

/**
 * Counts a failed authentication against its address; past the limit the answer is 429 instead of 401. Never returns:
 * it throws, or rejects where processes share their limits.
 */
export function refuse(
  context: HttpContext,
  request: FastifyRequest,
  { requestContext, error }: { requestContext: RequestContext; error: unknown },
): Promise<never> {
  if (!(error instanceof AppError) || !error.errorName.startsWith("credential_")) throw error;
  const limited = context.rates.failedAuthentication(request.ip);
  if (!(limited instanceof Promise)) return fail(context, limited, { requestContext, error });
  return limited.then((found) => fail(context, found, { requestContext, error }));
}

function fail(
  context: HttpContext,
  limited: Limited,
  { requestContext, error }: { requestContext: RequestContext; error: AppError },
): never {
  requestContext.rate = limited.headers;
  if (limited.allowed) throw error;
  context.onRateLimited("failed-authentication");
  throw rateLimited(limited);
}
