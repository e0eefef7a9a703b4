// A real issuer of OpenID Connect (the package oidc-provider) in this process, in which the test says who signs in; and
// what a browser does there.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

export interface Issuer {
  readonly address: string;
  /** Claims by subject. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  /** The subject who signs in; undefined for somebody who cancels. */
  current: string | undefined;
  stop(): Promise<void>;
}

/** The part of the package, which has no types, that the tests use. */
interface Library {
  readonly Provider: new (issuer: string, configuration: object) => Provider;
}

interface Provider {
  callback(): RequestListener;
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: object,
  ): Promise<void>;
}

const library: string = "oidc-provider";

export const clientSecret = "a-secret-of-the-client-that-is-long-enough";

export async function startIssuer(redirectUri: string): Promise<Issuer> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people: Issuer["people"] = new Map();
  const issuer: Issuer = {
    address,
    people,
    current: undefined,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const { Provider } = (await import(library)) as Library;
  const provider = new Provider(address, configurationOf(people, redirectUri));
  const answer = provider.callback();
  server.on("request", (request, response) => {
    if (!(request.url ?? "").startsWith("/interaction/")) {
      answer(request, response);
      return;
    }
    const { current } = issuer;
    const result =
      current === undefined ? { error: "access_denied" } : { login: { accountId: current } };
    void provider.interactionFinished(request, response, result);
  });
  return issuer;
}

interface Context {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: { readonly Grant: new (of: object) => Grant };
  };
}

interface Grant {
  addOIDCScope(scope: string): void;
  save(): Promise<void>;
}

const scope = "openid profile";

/** Consent is given beforehand, so the only question is who signs in. */
async function grant({ oidc }: Context): Promise<Grant> {
  const { client, session, provider } = oidc;
  const made = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  made.addOIDCScope(scope);
  await made.save();
  return made;
}

function configurationOf(people: Issuer["people"], redirectUri: string): object {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return {
    clients: [{ client_id: "sluice", client_secret: clientSecret, redirect_uris: [redirectUri] }],
    scopes: ["openid", "profile"],
    claims: { profile: ["preferred_username", "email", "groups"] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...people.get(sub) }),
    }),
    loadExistingGrant: grant,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] },
    cookies: { keys: ["of a test"] },
  };
}

/** Follows an authorization request as a browser does, up to the address of the answer. */
export async function followToAnswer(start: string, answerAddress: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let step = 0; step < 10; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (set.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    assert.ok(location !== null, `${url} answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url).href;
    if (url.startsWith(answerAddress)) return url;
  }
  throw new Error("the issuer redirects without end");
}
