// Sign-in with OpenID Connect (authorization code flow with PKCE, state and nonce). The library and the metadata of the
// issuer are loaded at the first sign-in, and read again every hour. Knows nothing of operators.

import { createHmac } from "node:crypto";
import type { ClientAuth, Configuration } from "openid-client";
import type { IdentifiedPerson } from "../../../actions/operator/identity.ts";
import { OperatorError } from "../../../actions/operator/operator-error.ts";
import { AppError } from "../../../domain/error.ts";
import { isStorable } from "../../../domain/schema/formats.ts";
import { isLoopback } from "../../../basics/url-hostname.ts";
import { boundedFetch } from "../../../basics/bounded-fetch.ts";
import { isWaitOver } from "../../../basics/duration.ts";
import { type Claims, readNames, readRoles, type RolesOptions } from "./claims.ts";
import { describeFailure, isUnreachable, readRefusal } from "./failure.ts";

export interface OpenIdOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scope: string;
  readonly roles: RolesOptions;
  readonly now: () => number;
  /** Called with why something failed; never with a secret or a token. */
  readonly onFailure: (reason: string) => void;
}

export interface Attempt {
  /** Known only to the browser that began the sign-in. */
  readonly secret: string;
  readonly redirectUri: string;
}

export interface OpenId {
  readonly issuerName: string;
  /** Throws AppError unavailable. */
  beginAt(attempt: Attempt): Promise<URL>;
  /** Throws OperatorError sign_in and AppError unavailable. */
  identify(attempt: Attempt, answer: URLSearchParams): Promise<IdentifiedPerson>;
}

const load = () => import("openid-client");

const timeoutSeconds = 5;
const metadataLifetimeMs = 60 * 60_000;
/** After a failure, sign-ins fail at once for this long instead of waiting for an issuer that does not answer. */
const pauseMs = 5_000;
const clockSkewSeconds = 30;
/** OpenID Connect Core 1.0, section 2. An index entry of PostgreSQL has no room for a much longer one. */
const subjectCharactersMax = 255;

export function makeOpenId(options: OpenIdOptions): OpenId {
  const issuerName = new URL(options.issuer).host;
  const configuration = cached(() => discover(options), options.now);
  async function attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw explain(error, { issuerName, onFailure: options.onFailure });
    }
  }
  return {
    issuerName,
    beginAt: ({ secret, redirectUri }) =>
      attempt(async () => {
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load();
        return buildAuthorizationUrl(await configuration(), {
          redirect_uri: redirectUri,
          scope: options.scope,
          state: derive(secret, "state"),
          nonce: derive(secret, "nonce"),
          code_challenge: await calculatePKCECodeChallenge(derive(secret, "verifier")),
          code_challenge_method: "S256",
        });
      }),
    identify: (begun, answer) =>
      attempt(async () => readPerson(await configuration(), { begun, answer, ...options })),
  };
}

/** Derives state, nonce and verifier from one secret. None of them discloses the secret or another of them. */
function derive(secret: string, purpose: "state" | "nonce" | "verifier"): string {
  return createHmac("sha256", secret).update(purpose).digest("base64url");
}

/** True if the answer belongs to this sign-in. */
export function isAnswerTo({ secret }: Pick<Attempt, "secret">, answer: URLSearchParams): boolean {
  const [state, ...more] = answer.getAll("state");
  return state === derive(secret, "state") && more.length === 0;
}

async function discover({ issuer, clientId, clientSecret }: OpenIdOptions): Promise<Configuration> {
  const library = await load();
  const url = new URL(issuer);
  const execute = [library.enableNonRepudiationChecks];
  if (isLoopback(url.hostname)) execute.push(library.allowInsecureRequests);
  const metadata = { [library.clockTolerance]: clockSkewSeconds };
  const authentication = clientSecret === undefined ? library.None() : withSecret(clientSecret);
  return library.discovery(url, clientId, metadata, await authentication, {
    execute,
    timeout: timeoutSeconds,
    [library.customFetch]: boundedFetch,
  });
}

/**
 * Authenticates in a way that the issuer supports; if its metadata don't name any, in the way that every issuer has to
 * support (RFC 6749, 2.3.1).
 */
async function withSecret(clientSecret: string): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost } = await load();
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const chosen = supported.includes("client_secret_basic") ? basic : post;
    return chosen(server, ...rest);
  };
}

interface Answer extends Pick<OpenIdOptions, "roles"> {
  readonly begun: Attempt;
  readonly answer: URLSearchParams;
}

async function readPerson(
  configuration: Configuration,
  { begun, answer, roles }: Answer,
): Promise<IdentifiedPerson> {
  const { authorizationCodeGrant, fetchUserInfo } = await load();
  const { secret, redirectUri } = begun;
  const tokens = await authorizationCodeGrant(
    configuration,
    new URL(`${redirectUri}?${answer.toString()}`),
    {
      expectedState: derive(secret, "state"),
      expectedNonce: derive(secret, "nonce"),
      pkceCodeVerifier: derive(secret, "verifier"),
      idTokenExpected: true,
    },
  );
  const claims = tokens.claims();
  if (claims === undefined) throw new TypeError("the issuer sent no ID token");
  const { sub } = claims;
  if (sub === "" || sub.length > subjectCharactersMax || !isStorable(sub)) {
    throw new TypeError("the issuer sent a subject that is empty, too long or can't be stored");
  }
  let all: Claims = claims;
  const isComplete = readRoles(all, roles) !== undefined && readNames(all).length > 0;
  if (!isComplete && configuration.serverMetadata().userinfo_endpoint !== undefined) {
    const more = await fetchUserInfo(configuration, tokens.access_token, sub);
    all = { ...more, ...claims };
  }
  return {
    issuer: claims.iss,
    subject: sub,
    names: readNames(all),
    roles: readRoles(all, roles) ?? [],
  };
}

function cached<Value>(read: () => Promise<Value>, now: () => number): () => Promise<Value> {
  let kept: Promise<Value> | undefined;
  let until = 0;
  return () => {
    if (kept !== undefined && !isWaitOver(until, now(), metadataLifetimeMs)) return kept;
    const reading = read();
    kept = reading;
    until = now() + metadataLifetimeMs;
    reading.catch(() => {
      if (kept === reading) until = now() + pauseMs;
    });
    return reading;
  };
}

function explain(
  error: unknown,
  { issuerName, onFailure }: Pick<OpenId, "issuerName"> & Pick<OpenIdOptions, "onFailure">,
): Error {
  const refusal = readRefusal(error);
  if (refusal !== undefined) {
    const message = `${issuerName} did not sign you in (${refusal}). Nothing was changed.`;
    return new OperatorError("sign_in", message, { cause: error });
  }
  onFailure(describeFailure(error));
  if (isUnreachable(error)) {
    return new AppError("unavailable", {
      message: `${issuerName} can't be reached at the moment. Try again, or sign in with a passkey or a link.`,
      retryAfterSeconds: pauseMs / 1_000,
      cause: error,
    });
  }
  return new OperatorError(
    "sign_in",
    `The sign-in with ${issuerName} could not be completed. The log of the service has the reason. Sign in again, or with a passkey or a link.`,
    { cause: error },
  );
}
