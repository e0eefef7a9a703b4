// Signs in a person whom an issuer of OpenID Connect has identified. Issuer and subject are the identity; names and
// addresses are not, because people can change them. The issuer states the roles at every sign-in.

import {
  isOperatorName,
  type Operator,
  type OperatorIdentity,
  type OperatorRole,
} from "../../domain/operator.ts";
import { hash } from "node:crypto";
import { AppError } from "../../domain/error.ts";
import type { App } from "../app.ts";
import { hashSecret, makeId } from "../credential.ts";
import { OperatorError } from "./operator-error.ts";
import { isChallenge, makeChallenge, useChallenge } from "./challenge.ts";
import { makeSession, type StartedSession } from "./session.ts";

export interface IdentifiedPerson extends OperatorIdentity {
  /** The names that the issuer gives for this person, best first. */
  readonly names: readonly string[];
  readonly roles: readonly OperatorRole[];
}

/** How long a sign-in may take: some people enter a second factor or a new password. */
export const attemptLifetimeMs = 10 * 60_000;
const use = { purpose: "oidc" } as const;

export function beginAttempt(app: App): Promise<string> {
  return makeChallenge(app, use, attemptLifetimeMs);
}

/**
 * `identify` asks the issuer. Undefined if the challenge is not valid, was used before, or is being used. Throws
 * OperatorError sign_in and operator_disabled, and what `identify` throws.
 */
export async function completeAttempt(
  app: App,
  challenge: string,
  identify: () => Promise<IdentifiedPerson>,
): Promise<StartedSession | undefined> {
  if (!(await isChallenge(app, use, challenge))) return undefined;
  try {
    // An issuer treats a code that it gets twice as stolen, and would refuse both requests.
    return await app.inFlight.run(hashSecret(challenge), async () =>
      signInIdentified(app, await identify(), challenge),
    );
  } catch (error) {
    if (error instanceof AppError && error.errorName === "idempotency_in_flight") return undefined;
    throw error;
  }
}

/** The first time, the person becomes an operator. Ends the sessions of somebody who has no role any more. */
async function signInIdentified(
  app: App,
  { names, roles, ...identity }: IdentifiedPerson,
  challenge: string,
): Promise<StartedSession | undefined> {
  const existing = await app.store.operators.findByIdentity(identity);
  if (existing === undefined && roles.length === 0) throw noRole();
  const operator = existing ?? (await create(app, { names, roles, ...identity }));
  if (!(await useChallenge(app, challenge, { ...use, operator }))) return undefined;
  const made = makeSession(app, "oidc");
  const act = { actor: operator.name, now: app.now() };
  const signIn = { session: made.stored, act };
  if (await app.store.operators.useIdentity(operator.operatorId, roles, signIn)) {
    return { operator, ...made };
  }
  if (roles.length === 0) throw noRole();
  throw new OperatorError("operator_disabled", `The operator "${operator.name}" is disabled.`);
}

function noRole(): OperatorError {
  return new OperatorError(
    "sign_in",
    "You are signed in with the identity provider, but none of your groups has a role here. The operators of this service assign roles with OIDC_ROLES.",
  );
}

/** Two requests may do this at the same time: the identity is unique, so both find the same operator. */
async function create(
  app: App,
  { names, roles, issuer, subject }: IdentifiedPerson,
): Promise<Operator> {
  const identity = { issuer, subject };
  for (const name of await freeNames(app, { names, ...identity })) {
    const operator: Operator = {
      operatorId: makeId("op"),
      name,
      roles,
      createdAt: app.now(),
      disabledAt: undefined,
      ...(roles.includes("officer") ? { unconfirmedSince: app.now() } : {}),
      identity,
    };
    const act = { actor: name, now: app.now() };
    if (await app.store.operators.create(operator, act)) return operator;
    const found = await app.store.operators.findByIdentity(identity);
    if (found !== undefined) return found;
  }
  throw new TypeError("the last name is unique");
}

/** People choose names themselves, and the audit trail must not confuse two people. The last name is unique. */
async function freeNames(
  app: App,
  { names, issuer, subject }: Omit<IdentifiedPerson, "roles">,
): Promise<readonly string[]> {
  const operators = await app.store.operators.list(app.now());
  const taken = new Set([app.operator, "root", ...operators.map(({ name }) => name)].map(fold));
  const valid = names.map((name) => name.normalize("NFC").trim()).filter(isOperatorName);
  const mark = hash("sha256", JSON.stringify([issuer, subject])).slice(0, 12);
  return [
    ...valid.filter((name) => !taken.has(fold(name))),
    `${valid[0]?.slice(0, 80) ?? "person"}-${mark}`,
  ];
}

function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
