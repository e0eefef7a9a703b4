// For every operation and every status below 500 in its row of the route table, a request that gets
// this status.

import assert from "node:assert/strict";
import { limits } from "../../src/domain/limits.ts";
import { allScopes, type Scope } from "../../src/domain/scope.ts";
import { type Operation, scopesOf } from "../../src/http/operation.ts";
import type { Customer } from "../support/customer.ts";
import type { Ask } from "../support/http-client.ts";
import { goodRequest, inForm, tokenRequest } from "./good-request.ts";
import { fromNewAddress, type Scene } from "./scene.ts";

type Corrupt = (scene: Scene, customer: Customer, operation: Operation) => Promise<Ask>;

/** By status; each expects the code next to it. */
export const corruptions = {
  400: { code: 40000, corrupt: asInvalid },
  401: { code: 40101, corrupt: withoutCredential },
  403: { code: 40301, corrupt: withoutScope },
  410: { code: 41001, corrupt: atGoneOffset },
  404: { code: 40401, corrupt: withUnknownId },
  413: { code: 41301, corrupt: asTooLarge },
  415: { code: 41501, corrupt: inAnotherType },
  422: { code: 42201, corrupt: withReusedKey },
} as const satisfies Readonly<Record<number, { readonly code: number; readonly corrupt: Corrupt }>>;

async function asInvalid(scene: Scene, customer: Customer, operation: Operation): Promise<Ask> {
  const good = await goodRequest(scene, customer, operation);
  if (operation.verb === "read changes") return { ...good, query: { offset: "0" } };
  if (operation.verb === "list webhook endpoints") {
    return { ...good, query: { webhook_endpoint_id: "" } };
  }
  if (operation.verb === "list recipients") return { ...good, query: { name: "" } };
  return operation.body === "none"
    ? { ...good, query: {} }
    : { ...good, body: inForm(operation, {}) };
}

async function withoutCredential(
  scene: Scene,
  customer: Customer,
  operation: Operation,
): Promise<Ask> {
  const good = await goodRequest(scene, customer, operation);
  return { ...good, token: undefined, headers: fromNewAddress() };
}

/**
 * A token, or a key where the operation issues tokens, that has every scope except those that are
 * required.
 */
async function withoutScope(scene: Scene, customer: Customer, operation: Operation): Promise<Ask> {
  const good = await goodRequest(scene, customer, operation);
  if (operation.permission === undefined) {
    const other = await scene.makeCustomer({ scopes: ["transactions:read"] });
    return { ...good, headers: { authorization: other.apiKey }, body: tokenRequest(other) };
  }
  const scopes = allScopes.filter((scope) => !mayServe(scope, operation));
  const other = await scene.makeCustomer({ scopes, strictScopes: true });
  return { ...good, token: other.token };
}

/**
 * In an organization with strict scopes: a scope of the family with this permission, or write where
 * read is required.
 */
function mayServe(scope: Scope, operation: Operation): boolean {
  return scopesOf(operation).some(
    (wanted) => scope === wanted || scope === wanted.replace(/:read$/, ":write"),
  );
}

const nobodys = "nobody has this id";

async function withUnknownId(scene: Scene, customer: Customer, operation: Operation): Promise<Ask> {
  const good = await goodRequest(scene, customer, operation);
  const { type, verb } = operation;
  if (verb === "remove webhook endpoint") {
    return { ...good, body: { webhook_endpoint_id: nobodys } };
  }
  if (verb === "read deletion") return { ...good, query: { deletion_request_id: nobodys } };
  if (operation.scope === "changes:read")
    return { ...good, body: { ...(good.body as object), name: "nobody" } };
  if (type === undefined)
    return { ...good, body: { ...(good.body as object), resource_id: nobodys } };
  if (verb === "check record") return { ...good, query: { [type.idField]: nobodys } };
  if (verb === "update records") {
    return { ...good, body: inForm(operation, scene.records.update(type, nobodys)) };
  }
  return { ...good, body: { ...(good.body as object), [type.idField]: nobodys } };
}

/** As a reader has it whose store was replaced by an older one. */
async function atGoneOffset(scene: Scene, customer: Customer, operation: Operation): Promise<Ask> {
  const cipher = await scene.service.app.offsets();
  const position = { changeNo: 2 ** 40, at: 1, following: 0 };
  const offset = cipher.encode(customer.organizationId, position);
  const good = await goodRequest(scene, customer, operation);
  if (operation.body === "none") return { ...good, query: { offset } };
  return { ...good, body: { ...(good.body as object), offset } };
}

/** Announces more than is allowed, which is refused before it arrives. */
async function asTooLarge(scene: Scene, customer: Customer, operation: Operation): Promise<Ask> {
  const good = await goodRequest(scene, customer, operation);
  const headers = { ...good.headers, "content-length": String(limits.bodyBytesMax + 1) };
  return { ...good, headers };
}

async function inAnotherType(scene: Scene, customer: Customer, operation: Operation): Promise<Ask> {
  const good = await goodRequest(scene, customer, operation);
  return { ...good, headers: { ...good.headers, "content-type": "text/plain" } };
}

/** A second request under the Idempotency-Key of a first that was answered. */
async function withReusedKey(scene: Scene, customer: Customer, operation: Operation): Promise<Ask> {
  const headers = { "idempotency-key": `reused ${operation.name}` };
  const first = await goodRequest(scene, customer, operation);
  const reply = await scene.client.send({ ...first, headers });
  assert.equal(reply.status, operation.success, reply.text);
  return { ...first, body: `${JSON.stringify(first.body)} `, headers };
}
