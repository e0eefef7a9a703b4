// Sessions of operators in the console: begun by signing in, found by their secret, listed and ended. Only the hash of
// a secret is stored.

import type { Operator, OperatorSession, SignInMethod } from "../../domain/operator.ts";
import type { NewSession, SessionHolder } from "../../store/interface/operators.ts";
import { actOf, type App } from "../app.ts";
import { hashSecret, makeCredential, makeId } from "../credential.ts";
import { OperatorError } from "./operator-error.ts";
import { actAs, requireRight, type Viewer } from "./viewer.ts";

export const sessionLifetimeMs = 12 * 60 * 60_000;

export interface StartedSession {
  readonly operator: Operator;
  readonly secret: string;
  readonly stored: NewSession;
}

/** Makes a new secret, so that nobody can have chosen it before (session fixation). */
export function makeSession(
  { now }: App,
  method: SignInMethod,
): Pick<StartedSession, "secret" | "stored"> {
  const secret = makeCredential("operator_session");
  const createdAt = now();
  const stored = {
    sessionId: makeId("ses"),
    tokenHash: hashSecret(secret),
    method,
    createdAt,
    expiresAt: createdAt + sessionLifetimeMs,
  };
  return { secret, stored };
}

export function findSession(
  { store, now }: App,
  secret: string,
): Promise<SessionHolder | undefined> {
  return store.operators.findSession(hashSecret(secret), now());
}

export async function enterSession(
  app: App,
  secret: string,
): Promise<(SessionHolder & { readonly app: App & { readonly viewer: Viewer } }) | undefined> {
  const holder = await findSession(app, secret);
  return holder && { ...holder, app: actAs(app, holder.operator) };
}

/** Newest first. */
export async function listOwnSessions(
  { store, now }: App,
  { operatorId }: Operator,
): Promise<readonly OperatorSession[]> {
  const holders = await store.operators.listSessions(operatorId, now());
  return holders.map(({ session }) => session);
}

export async function listSessions(app: App): Promise<readonly SessionHolder[]> {
  requireRight(app, "session.list");
  return app.store.operators.listSessions(undefined, app.now());
}

/** Throws OperatorError no_such_session, also for a session of somebody else. */
export async function endOwnSession(
  app: App,
  { operatorId }: Operator,
  sessionId: string,
): Promise<void> {
  if (await app.store.operators.endSession(sessionId, operatorId, actOf(app))) return;
  throw noSuchSession();
}

/** Throws OperatorError not_permitted and no_such_session. */
export async function revokeSession(app: App, sessionId: string): Promise<void> {
  requireRight(app, "session.revoke");
  if (await app.store.operators.endSession(sessionId, undefined, actOf(app))) return;
  throw noSuchSession();
}

function noSuchSession(): OperatorError {
  return new OperatorError("no_such_session", "There is no such session; it may have ended.");
}
