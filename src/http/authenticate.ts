// The gate of every v2.0 operation: who calls, at what rate, with which scope. Runs before a body is read.

import type { FastifyRequest } from "fastify";
import type { Identity } from "../actions/caller-cache.ts";
import { identifyCaller } from "../actions/identify-caller.ts";
import { AppError } from "../domain/error.ts";
import type { Scope } from "../domain/scope.ts";
import type { Door } from "./door.ts";
import { rateLimited } from "./rate-limit.ts";
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
    throw failedAuthentication(door, request, { visit, error });
  }
  if (!(caller instanceof Promise)) return admit(door, caller, { visit, scopes });
  return caller.then(
    (found) => admit(door, found, { visit, scopes }),
    (error: unknown) => {
      throw failedAuthentication(door, request, { visit, error });
    },
  );
}

function admit(
  door: Door,
  caller: Identity,
  { visit, scopes }: { visit: Visit; scopes: readonly Scope[] },
): void {
  visit.caller = caller;
  const limited = door.rates.organization(caller);
  visit.rate = limited.headers;
  if (!limited.allowed) {
    door.onRateLimited("organization");
    throw rateLimited(limited);
  }
  if (scopes.length > 0 && !scopes.some((scope) => caller.covered.has(scope))) {
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
    visit.rate = door.rates.failuresLeft(request.ip).headers;
    return;
  }
  try {
    await authenticate(door, request, { visit, scopes: [] });
  } catch (error) {
    const isRefusal = error instanceof AppError && error.errorName.startsWith("credential_");
    if (!isRefusal) throw error;
  }
}

/** Counts a failed authentication against its address; past the limit the answer is 429 instead of 401. */
export function failedAuthentication(
  door: Door,
  request: FastifyRequest,
  { visit, error }: { visit: Visit; error: unknown },
): unknown {
  if (!(error instanceof AppError) || !error.errorName.startsWith("credential_")) return error;
  const limited = door.rates.failedAuthentication(request.ip);
  visit.rate = limited.headers;
  if (limited.allowed) return error;
  door.onRateLimited("failed-authentication");
  return rateLimited(limited);
}
