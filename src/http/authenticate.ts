// The gate of every v2.0 operation: who calls, at what rate, with which scope. Runs before a body is read.

import type { FastifyRequest } from "fastify";
import type { Identity } from "../actions/caller-cache.ts";
import { identifyCaller } from "../actions/identify-caller.ts";
import { AppError } from "../domain/error.ts";
import type { Scope } from "../domain/scope.ts";
import type { Door } from "./door.ts";
import { type Limited, rateLimited } from "./rate-limit.ts";
import type { Visit } from "./reply.ts";

/** Fills in `visit.caller`; throws credential_*, rate_limited or insufficient_scope. Synchronous for a known caller. */
export function authenticate(
  door: Door,
  request: FastifyRequest,
  { visit, scopes }: { visit: Visit; scopes: readonly Scope[] },
): void | Promise<void> {
  let caller: Identity | Promise<Identity>;
  try {
    caller = identifyCaller(door.app, request.headers.authorization);
  } catch (error) {
    return refuse(door, request, { visit, error });
  }
  if (!(caller instanceof Promise)) return admit(door, caller, { visit, scopes });
  return caller.then(
    (found) => admit(door, found, { visit, scopes }),
    (error: unknown) => refuse(door, request, { visit, error }),
  );
}

interface Admission {
  readonly visit: Visit;
  readonly scopes: readonly Scope[];
}

function admit(door: Door, caller: Identity, admission: Admission): void | Promise<void> {
  admission.visit.caller = caller;
  const limited = door.rates.organization(caller);
  if (limited instanceof Promise) return limited.then((found) => judge(door, found, admission));
  judge(door, limited, admission);
}

function judge(door: Door, limited: Limited, { visit, scopes }: Admission): void {
  visit.rate = limited.headers;
  if (!limited.allowed) {
    door.onRateLimited("organization");
    throw rateLimited(limited);
  }
  if (scopes.length > 0 && !scopes.some((scope) => visit.caller?.covered.has(scope) ?? false)) {
    throw new AppError("insufficient_scope", {
      message: `The access token lacks the scope ${scopes.join(" or ")}; request a token that has it.`,
    });
  }
}

/**
 * For a request under /v2 that no operation takes: it counts as one of its organization, or as a failed authentication.
 * One without a credential counts for nothing, and is told the limit of its address. Throws rate_limited.
 */
export async function countStray(door: Door, request: FastifyRequest, visit: Visit): Promise<void> {
  if (request.headers.authorization === undefined) {
    const asked = door.rates.failuresLeft(request.ip);
    visit.rate = (asked instanceof Promise ? await asked : asked).headers;
    return;
  }
  try {
    await authenticate(door, request, { visit, scopes: [] });
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
  door: Door,
  request: FastifyRequest,
  { visit, error }: { visit: Visit; error: unknown },
): Promise<never> {
  if (!(error instanceof AppError) || !error.errorName.startsWith("credential_")) throw error;
  const limited = door.rates.failedAuthentication(request.ip);
  if (!(limited instanceof Promise)) return fail(door, limited, { visit, error });
  return limited.then((found) => fail(door, found, { visit, error }));
}

function fail(
  door: Door,
  limited: Limited,
  { visit, error }: { visit: Visit; error: AppError },
): never {
  visit.rate = limited.headers;
  if (limited.allowed) throw error;
  door.onRateLimited("failed-authentication");
  throw rateLimited(limited);
}
