// Links by which an operator signs in once. The secret of a link is returned once, and stored only as a hash.

import type { Operator } from "../../domain/operator.ts";
import type { App } from "../app.ts";
import { hashSecret, makeCredential } from "../credential.ts";
import { actTogether } from "../proposal/second-person.ts";
import { requireRight } from "./viewer.ts";
import { findActiveOperator } from "./operators.ts";
import { makeSession, type StartedSession } from "./session.ts";

const linkLifetimeMs = 10 * 60_000;

/** Earlier links of the operator stop working. Throws OperatorError no_such_operator and operator_disabled. */
export async function createSignInLink(
  app: App,
  name: string,
): Promise<{ readonly operator: Operator; readonly secret: string; readonly expiresAt: number }> {
  requireRight(app, "operator.link");
  const operator = await findActiveOperator(app, name);
  const secret = makeCredential("operator_link");
  const act = actTogether(app);
  const expiresAt = act.now + linkLifetimeMs;
  const tokenHash = hashSecret(secret);
  const { operatorId } = operator;
  await app.store.operators.createLink({ tokenHash, purpose: "link", operatorId, expiresAt }, act);
  return { operator, secret, expiresAt };
}

/** Does not use it. */
export function readSignInLink({ store, now }: App, secret: string): Promise<Operator | undefined> {
  return store.operators.findLink(hashSecret(secret), now());
}

export async function useSignInLink(app: App, secret: string): Promise<StartedSession | undefined> {
  const tokenHash = hashSecret(secret);
  const holder = await app.store.operators.findLink(tokenHash, app.now());
  if (holder === undefined) return undefined;
  const made = makeSession(app, "link");
  const act = { actor: holder.name, now: app.now() };
  const operator = await app.store.operators.useLink(tokenHash, { session: made.stored, act });
  return operator === undefined ? undefined : { operator, ...made };
}
