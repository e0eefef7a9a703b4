// Stores the passkeys of operators. The caller knows the protocol and verifies signatures (console/sign-in/passkey.ts).

import { limits } from "../../domain/limits.ts";
import type { Operator, Passkey } from "../../domain/operator.ts";
import type { PasskeyHolder } from "../../store/interface/operators.ts";
import { actOf, type App } from "../app.ts";
import { OperatorError, requireLine } from "./operator-error.ts";
import { makeSession, type StartedSession } from "./session.ts";

/** A person can have one for each device. */
const passkeysMax = 20;

/** Throws OperatorError invalid. */
export async function addPasskey(
  app: App,
  { operatorId, identity }: Operator,
  made: Omit<Passkey, "operatorId" | "createdAt" | "lastUsedAt">,
): Promise<void> {
  // A passkey would still sign in a person from whom the issuer has taken the role.
  if (identity !== undefined) {
    throw new OperatorError("invalid", `You sign in with ${identity.issuer}, not with passkeys.`);
  }
  if (made.name !== "") requireLine("The name", made.name, limits.nameCharactersMax);
  const existing = await app.store.operators.listPasskeys(operatorId);
  if (existing.length >= passkeysMax) {
    throw new OperatorError("invalid", `You have ${passkeysMax} passkeys; remove one first.`);
  }
  const act = actOf(app);
  const passkey = { ...made, operatorId, createdAt: act.now, lastUsedAt: undefined };
  if (await app.store.operators.addPasskey(passkey, act)) return;
  throw new OperatorError("invalid", "This passkey is registered already.");
}

/** Oldest first. */
export function listPasskeys(
  { store }: App,
  { operatorId }: Operator,
): Promise<readonly Passkey[]> {
  return store.operators.listPasskeys(operatorId);
}

/** Throws OperatorError no_such_passkey, also for a passkey of somebody else. */
export async function removePasskey(
  app: App,
  { operatorId }: Operator,
  credentialId: string,
): Promise<void> {
  if (await app.store.operators.removePasskey(credentialId, operatorId, actOf(app))) return;
  throw new OperatorError("no_such_passkey", "You have no such passkey.");
}

export function findPasskey(
  { store }: App,
  credentialId: string,
): Promise<PasskeyHolder | undefined> {
  return store.operators.findPasskey(credentialId);
}

/** Call after the signature was verified. Undefined if the passkey was copied: then its count was used before. */
export async function signInWithPasskey(
  app: App,
  { passkey, operator }: PasskeyHolder,
  signCount: number,
): Promise<StartedSession | undefined> {
  const made = makeSession(app, "passkey");
  const act = { actor: operator.name, now: app.now() };
  const signIn = { session: made.stored, act };
  const used = await app.store.operators.usePasskey(passkey.credentialId, signCount, signIn);
  return used ? { operator, ...made } : undefined;
}
