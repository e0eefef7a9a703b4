// Makes the WebAuthn options that ask a browser for a passkey, and verifies its answers. Loading the library blocks the
// thread for a fifth of a second, so only the holder of a passkey or of a sign-in link can cause it. A challenge can be
// used once, and is valid for minutes.

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { App } from "../../actions/app.ts";
import {
  type ChallengeUse,
  isChallenge,
  makeChallenge,
  useChallenge,
} from "../../actions/operator/challenge.ts";
import {
  addPasskey,
  findPasskey,
  listPasskeys,
  signInWithPasskey,
} from "../../actions/operator/passkey.ts";
import type { StartedSession } from "../../actions/operator/session.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { AppError } from "../../domain/error.ts";
import type { Operator } from "../../domain/operator.ts";
import type { Origin } from "./origin.ts";
import { sluice } from "../../basics/program-name.ts";

const load = () => import("@simplewebauthn/server");

const challengeLifetimeMs = 5 * 60_000;

/** EdDSA, ES256 and RS256: authenticators have these, and every supported version of Node verifies them. */
const supportedAlgorithmIDs = [-8, -7, -257];

/** What a browser needs to make a passkey on this device or on a security key, protected by a PIN or a fingerprint. */
export async function offerNewPasskey(
  app: App,
  { operator, origin }: { readonly operator: Operator; readonly origin: Origin },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await load();
  const passkeys = await listPasskeys(app, operator);
  const challenge = await makeChallenge(app, adding(operator), challengeLifetimeMs);
  return generateRegistrationOptions({
    challenge: Buffer.from(challenge, "base64url"),
    rpName: "Sluice",
    rpID: origin.hostname,
    userName: operator.name,
    userDisplayName: operator.name,
    userID: new TextEncoder().encode(operator.operatorId),
    supportedAlgorithmIDs,
    timeout: challengeLifetimeMs,
    attestationType: "none",
    excludeCredentials: passkeys.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** Throws OperatorError sign_in for an answer that is not genuine, and invalid. */
export async function acceptNewPasskey(
  app: App,
  { operator, origin }: { readonly operator: Operator; readonly origin: Origin },
  answer: unknown,
): Promise<void> {
  const { verifyRegistrationResponse } = await load();
  const response = readAnswer(answer) as unknown as RegistrationResponseJSON;
  const by = { ...adding(operator), operator };
  const { registrationInfo } = await verifyOnce(app, by, (expectedChallenge) =>
    verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origin.text,
      expectedRPID: origin.hostname,
      requireUserVerification: true,
      supportedAlgorithmIDs,
    }),
  );
  if (registrationInfo === undefined) throw notGenuine();
  const { id, publicKey, counter } = registrationInfo.credential;
  await addPasskey(app, operator, {
    credentialId: id,
    publicKey,
    signCount: counter,
    transports: readTransports(response),
    name: readName(answer),
  });
}

/**
 * The options of Web Authentication (W3C), Level 3, section 5.5. They name no operator: the authenticator knows whose
 * passkeys it has.
 */
export async function askForPasskey(
  app: App,
  origin: Origin,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return {
    challenge: await makeChallenge(app, signingIn, challengeLifetimeMs),
    rpId: origin.hostname,
    timeout: challengeLifetimeMs,
    userVerification: "required",
  };
}

/** Throws OperatorError sign_in, which does not say what was wrong. */
export async function signInBy(app: App, origin: Origin, answer: unknown): Promise<StartedSession> {
  const response = readAnswer(answer) as unknown as AuthenticationResponseJSON;
  const holder = await findPasskey(app, response.id);
  if (holder === undefined) throw notGenuine();
  const { verifyAuthenticationResponse } = await load();
  const { credentialId, publicKey, signCount } = holder.passkey;
  const by = { ...signingIn, operator: holder.operator };
  const { authenticationInfo } = await verifyOnce(app, by, (expectedChallenge) =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origin.text,
      expectedRPID: origin.hostname,
      credential: { id: credentialId, publicKey: Uint8Array.from(publicKey), counter: signCount },
      requireUserVerification: true,
    }),
  );
  const started = await signInWithPasskey(app, holder, authenticationInfo.newCounter);
  if (started === undefined) throw notGenuine();
  return started;
}

const signingIn = { purpose: "passkey_use" } as const;

function adding({ operatorId }: Operator): ChallengeUse {
  return { purpose: "passkey_new", boundTo: operatorId };
}

/** Reads what is needed to find the passkey; the library checks the rest. */
function readAnswer(answer: unknown): { readonly id: string } {
  if (typeof answer === "object" && answer !== null && "id" in answer) {
    const { id } = answer;
    if (typeof id === "string" && /^[\w-]{1,2048}$/.test(id)) return { ...answer, id };
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

function readName(answer: unknown): string {
  const { name } = answer as { readonly name?: unknown };
  return typeof name === "string" ? name.trim() : "";
}

/** The library throws an Error for each check that fails. The challenge is used after all of them have passed. */
async function verifyOnce<Result extends { readonly verified: boolean }>(
  app: App,
  by: ChallengeUse & { readonly operator: Operator },
  verify: (isExpected: (challenge: string) => Promise<boolean>) => Promise<Result>,
): Promise<Result> {
  let signed = "";
  const isExpected = (challenge: string): Promise<boolean> => {
    signed = challenge;
    return isChallenge(app, by, challenge);
  };
  try {
    const result = await verify(isExpected);
    if (result.verified && (await useChallenge(app, signed, by))) return result;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw notGenuine(cause);
  }
  throw notGenuine();
}

function notGenuine(cause?: unknown): OperatorError {
  const message = `The passkey was not accepted. Try again, or ask for a new link: ${sluice} operator link NAME`;
  return new OperatorError("sign_in", message, { cause });
}
