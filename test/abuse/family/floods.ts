// Small requests at full speed: with invalid credentials, without any, and with good ones.

import { makeCredential } from "../../../src/actions/credential.ts";
import type { Abuse, AbuseContext, Target, Title } from "../abuse.ts";
import { makeIds, transaction } from "../records.ts";
import { flooding, requestBytes } from "../sending.ts";

function requestFlood(
  title: Title,
  { connections, addresses = 1 }: { readonly connections: number; readonly addresses?: number },
  makeNext: (context: AbuseContext) => () => Buffer,
): Abuse {
  return flooding(title, { connections: [connections, 16], addresses }, makeNext);
}

function unauthenticated(path: string): Abuse {
  const name = `flood-${path.replace(/\W+/g, "-").replace(/^-/, "")}`;
  const request = requestBytes("GET", path);
  return requestFlood(
    [name, `${path} at full speed from 8 addresses`],
    { connections: 64, addresses: 8 },
    () => () => request,
  );
}

const check = "/v2/transaction?tx_id=none";

/** Good tokens are looked up in memory; each of these is new to the server. */
const badTokens = requestFlood(
  ["bad-tokens", "tokens with valid checksums that were never issued, from 8 addresses"],
  { connections: 64, addresses: 8 },
  () => () => requestBytes("GET", check, { token: makeCredential("access_token") }),
);

function tokenRequest({ organizationId }: Target): string {
  const scopes = { organization_id: organizationId, scopes: ["person:read"] };
  return JSON.stringify({ expiry_seconds: 300, scopes });
}

const badKeys = requestFlood(
  ["bad-keys", "keys with valid checksums that were never created, from 8 addresses"],
  { connections: 64, addresses: 8 },
  ({ target }) => {
    const body = tokenRequest(target);
    return () =>
      requestBytes("POST", "/auth/token", {
        headers: { authorization: makeCredential("api_key") },
        body,
      });
  },
);

const tokens = requestFlood(
  ["token-issuing", "token requests at full speed with a valid key"],
  { connections: 32 },
  ({ target }) => {
    const body = tokenRequest(target);
    const { apiKey: authorization } = target;
    return () => requestBytes("POST", "/auth/token", { headers: { authorization }, body });
  },
);

/** A challenge needs no credential, so asking for many must block nobody. */
const challenges = requestFlood(
  ["challenges", "challenges of passkeys at full speed from 8 addresses"],
  { connections: 64, addresses: 8 },
  () => () =>
    requestBytes("POST", "/console/passkey/options", { headers: { origin: "http://x" }, body: "" }),
);

function adds(
  [name, what]: Title,
  connections: number,
  keyOf: (id: string) => string | undefined,
): Abuse {
  return requestFlood([name, what], { connections }, ({ target: { token } }) => {
    const nextId = makeIds(name);
    return () => {
      const id = nextId();
      const key = keyOf(id);
      const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
      return requestBytes("POST", "/v2/transaction", { token, headers, body: transaction(id) });
    };
  });
}

export const floods: readonly Abuse[] = [
  badTokens,
  badKeys,
  requestFlood(
    ["no-credential", "no credential at all"],
    { connections: 64, addresses: 8 },
    () => () => requestBytes("POST", "/v2/transaction", { body: transaction("x") }),
  ),
  tokens,
  challenges,
  ...["/metrics", "/docs/reference.js", "/openapi.json", "/health/ready", "/nothing"].map(
    unauthenticated,
  ),
  requestFlood(
    ["checks", "existence checks on 64 connections"],
    { connections: 64 },
    (context) => () => requestBytes("GET", check, { token: context.target.token }),
  ),
  adds(["single-adds", "single adds on 256 connections"], 256, () => undefined),
  adds(["new-keys", "adds with a new Idempotency-Key each"], 128, (id) => id),
  adds(["one-key", "different adds with one Idempotency-Key"], 128, () => "the same"),
  requestFlood(
    ["hot-updates", "updates of one record on 64 connections"],
    { connections: 64 },
    ({ target: { token }, random }) =>
      () =>
        requestBytes("PUT", "/v2/transactions/batch", {
          token,
          body: `[${transaction("hot", random.integer(1, 1e9))}]`,
        }),
  ),
];
