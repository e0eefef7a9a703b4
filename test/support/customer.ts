// Organizations with keys and tokens for tests, created through the same actions and requests that
// operators and clients use.

import assert from "node:assert/strict";
import type { App } from "../../src/actions/app.ts";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { createKey } from "../../src/actions/access/keys.ts";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { allScopes, recordScopes, type Scope } from "../../src/domain/scope.ts";
import type { OrganizationChange } from "../../src/store/interface/access.ts";
import type { Client } from "./http-client.ts";

export interface Customer {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly keyId: string;
  readonly apiKey: string;
  /** Valid for a day, with every scope that the key has. */
  readonly token: string;
}

export interface CustomerOptions extends OrganizationChange {
  readonly organizationId?: string;
  /** The scopes of the key and of the token; all if omitted. */
  readonly scopes?: readonly Scope[];
  readonly keyLifetimeMs?: number;
}

let count = 0;

/** An organization with a key, and a token for it. */
export async function makeCustomer(
  app: App,
  client: Client,
  options: CustomerOptions = {},
): Promise<Customer> {
  const { organizationId, scopes = allScopes, keyLifetimeMs, ...change } = options;
  count += 1;
  const name = change.name ?? `Customer ${count}`;
  const organization = await createOrganization(app, { name, organizationId });
  if (Object.keys(change).length > 0) {
    await changeOrganization(app, organization.organizationId, change);
  }
  const made = await createKey(app, {
    organizationId: organization.organizationId,
    scopes,
    lifetimeMs: keyLifetimeMs,
  });
  const holder = { organizationId: organization.organizationId, apiKey: made.secret };
  const token = await fetchToken(client, holder, { scopes });
  return { ...holder, organizationName: name, keyId: made.key.keyId, token };
}

/**
 * Requests a token over HTTP, like a client: with the default scopes of a key unless others are
 * named.
 */
export async function fetchToken(
  client: Pick<Client, "send">,
  { organizationId, apiKey }: { organizationId: string; apiKey: string },
  {
    scopes = recordScopes,
    expirySeconds = 86_400,
  }: { scopes?: readonly string[]; expirySeconds?: number } = {},
): Promise<string> {
  const reply = await client.send({
    method: "POST",
    path: "/auth/token",
    headers: { authorization: apiKey },
    body: {
      expiry_seconds: expirySeconds,
      scopes: { organization_id: organizationId, scopes },
    },
  });
  assert.equal(reply.status, 200, reply.text);
  const { token } = reply.body;
  assert.ok(token !== undefined);
  return token;
}
