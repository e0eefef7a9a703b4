// Passkeys (WebAuthn): what a browser is asked for, and whether its answer is genuine. The library is loaded when the first
// passkey is used. A challenge is stored, can be used once, and is valid for minutes.

import { randomBytes } from "node:crypto";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { App } from "../actions/app.ts";
import {
  addPasskey,
  challengeLifetimeMs,
  findPasskey,
  listPasskeys,
  openChallenge,
  signInWithPasskey,
  useChallenge,
} from "../actions/operator/passkey.ts";
import type { StartedSession } from "../actions/operator/session.ts";
import { OperatorError } from "../actions/operator-error.ts";
import type { Operator } from "../domain/operator.ts";
import type { Origin } from "./origin.ts";

const load = () => import("@simplewebauthn/server");

/** EdDSA, ES256 and RS256: what authenticators have, and what every supported version of Node verifies. */
const supportedAlgorithmIDs = [-8, -7, -257];

/** What a browser needs to make a passkey on this device or on a security key, protected by a PIN or a fingerprint. */
export async function offerNewPasskey(
  app: App,
  { operator, origin }: { readonly operator: Operator; readonly origin: Origin },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await load();
  const known = await listPasskeys(app, operator);
  const challenge = makeChallenge();
  const options = await generateRegistrationOptions({
    challenge: Buffer.from(challenge, "base64url"),
    rpName: "Sluice",
    rpID: origin.hostname,
    userName: operator.name,
    userDisplayName: operator.name,
    userID: new TextEncoder().encode(operator.operatorId),
    supportedAlgorithmIDs,
    timeout: challengeLifetimeMs,
    attestationType: "none",
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  await openChallenge(app, { challenge, purpose: "passkey_new", operator });
  return options;
}

/** Throws OperatorError sign_in for an answer that is not genuine, and invalid. */
export async function acceptNewPasskey(
  app: App,
  { operator, origin }: { readonly operator: Operator; readonly origin: Origin },
  answer: unknown,
): Promise<void> {
  const { verifyRegistrationResponse } = await load();
  const response = readAnswer(answer) as unknown as RegistrationResponseJSON;
  const { verified, registrationInfo } = await genuine(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) =>
        useChallenge(app, { challenge, purpose: "passkey_new", operator }),
      expectedOrigin: origin.text,
      expectedRPID: origin.hostname,
      requireUserVerification: true,
      supportedAlgorithmIDs,
    }),
  );
  if (!verified || registrationInfo === undefined) throw notGenuine();
  const { id, publicKey, counter } = registrationInfo.credential;
  await addPasskey(app, operator, {
    credentialId: id,
    publicKey,
    signCount: counter,
    transports: readTransports(response),
  });
}

/** Names nobody: the authenticator knows whose passkeys it has. */
export async function askForPasskey(
  app: App,
  origin: Origin,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await load();
  const challenge = makeChallenge();
  const options = await generateAuthenticationOptions({
    challenge: Buffer.from(challenge, "base64url"),
    rpID: origin.hostname,
    timeout: challengeLifetimeMs,
    userVerification: "required",
  });
  await openChallenge(app, { challenge, purpose: "passkey_use", operator: undefined });
  return options;
}

/** Throws OperatorError sign_in, which does not say what was wrong. */
export async function signInBy(app: App, origin: Origin, answer: unknown): Promise<StartedSession> {
  const { verifyAuthenticationResponse } = await load();
  const response = readAnswer(answer) as unknown as AuthenticationResponseJSON;
  const holder = await findPasskey(app, response.id);
  if (holder === undefined) throw notGenuine();
  const { credentialId, publicKey, signCount } = holder.passkey;
  const { verified, authenticationInfo } = await genuine(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) =>
        useChallenge(app, { challenge, purpose: "passkey_use", operator: undefined }),
      expectedOrigin: origin.text,
      expectedRPID: origin.hostname,
      credential: { id: credentialId, publicKey: Uint8Array.from(publicKey), counter: signCount },
      requireUserVerification: true,
    }),
  );
  if (!verified) throw notGenuine();
  const started = await signInWithPasskey(app, holder, authenticationInfo.newCounter);
  if (started === undefined) throw notGenuine();
  return started;
}

/** 256 random bits; what is stored and compared is the text. */
function makeChallenge(): string {
  return randomBytes(32).toString("base64url");
}

/** Only what is needed to find the passkey; the library checks the rest. */
function readAnswer(answer: unknown): { readonly id: string } {
  if (typeof answer === "object" && answer !== null && "id" in answer) {
    const { id } = answer;
    if (typeof id === "string" && id.length <= 2_048) return { ...answer, id };
  }
  throw notGenuine();
}

function readTransports({ response }: RegistrationResponseJSON): readonly string[] {
  const { transports = [] } = response;
  return Array.isArray(transports)
    ? transports
        .filter((name) => typeof name === "string" && /^[a-z-]{1,20}$/.test(name))
        .slice(0, 8)
    : [];
}

/** The library throws an Error for each check that fails. */
async function genuine<Result>(verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify();
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw notGenuine(cause);
  }
}

function notGenuine(cause?: unknown): OperatorError {
  const message =
    "The passkey was not accepted. Try again, or ask for a new link: sluice operator link NAME";
  return new OperatorError("sign_in", message, { cause });
}
