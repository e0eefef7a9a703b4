// For every operation a request that succeeds, built from its row of the route table.

import assert from "node:assert/strict";
import { type Operation, requireType } from "../../src/http/operation.ts";
import type { Customer } from "../support/customer.ts";
import { endOffset } from "../support/end-offset.ts";
import type { Ask } from "../support/http-client.ts";
import { idOf, type Scene, typeNamed } from "./scene.ts";

/**
 * Creates what has to exist first. Sent with the customer's token, or with its key where the
 * operation issues tokens.
 */
export async function goodRequest(
  scene: Scene,
  customer: Customer,
  operation: Operation,
): Promise<Ask> {
  const { method, path } = operation;
  const make = contents[operation.verb];
  if (make === undefined) throw new Error(`there is no good request for ${operation.verb}`);
  const found = await make(scene, customer, operation);
  const credential =
    operation.permission === undefined
      ? { headers: { authorization: customer.apiKey } }
      : { token: customer.token };
  return { method, path, ...credential, ...found };
}

/** One operation for each verb and form of a body: what does not depend on the record type is tried at these. */
export function oneOfEachVerb(operations: readonly Operation[]): readonly Operation[] {
  const byVerb = Map.groupBy(operations, ({ verb, body }) => `${verb} ${body}`);
  return [...byVerb.values()].flatMap(([first]) => first ?? []);
}

type Content = Pick<Ask, "query" | "body">;
type Make = (scene: Scene, customer: Customer, operation: Operation) => Promise<Content>;

const contents: Readonly<Record<string, Make>> = {
  "issue token": async (_scene, customer) => ({ body: tokenRequest(customer) }),
  "check record": async (scene, customer, operation) => {
    const type = requireType(operation);
    const record = await scene.addRecord(customer, type);
    return { query: { [type.idField]: idOf(type, record) } };
  },
  "add records": newRecord,
  "append records": newRecord,
  "update records": async (scene, customer, operation) => {
    const type = requireType(operation);
    const record = await scene.addRecord(customer, type);
    return { body: inForm(operation, scene.records.update(type, idOf(type, record))) };
  },
  "request deletion": async (scene, customer, operation) => {
    const type = requireType(operation);
    const record = await scene.addRecord(customer, type);
    return { body: { [type.idField]: record[type.idField], reason: "a test" } };
  },
  "request deletion by type": async (scene, customer) => ({
    body: await deletionByType(scene, customer),
  }),
  // At its end, so that two replies have the same length.
  "read changes": async () => ({ query: { offset: "now" } }),
  "create webhook endpoint": async (scene, customer) => {
    await removeWebhooks(scene, customer);
    webhooksMade += 1;
    return { body: { ...newWebhook, description: `number ${webhooksMade}` } };
  },
  "list webhook endpoints": async (scene, customer) => ({
    query: { webhook_endpoint_id: await addWebhook(scene, customer) },
  }),
  "remove webhook endpoint": async (scene, customer) => ({
    body: { webhook_endpoint_id: await addWebhook(scene, customer) },
  }),
  "register recipient": async () => ({ body: { name: newName(), types: ["person"] } }),
  "list recipients": async (scene, customer) => ({
    query: { name: await addRecipient(scene, customer) },
  }),
  "remove recipient": async (scene, customer) => ({
    body: { name: await addRecipient(scene, customer) },
  }),
  acknowledge: async (scene, customer) => {
    const offset = await endOffset(scene.service.app, customer);
    return { body: { name: await addRecipient(scene, customer), offset } };
  },
  "read deletion": async (scene, customer, { path }) => {
    const body = await deletionByType(scene, customer);
    const asked = await scene.ask(customer, { method: "POST", path, body });
    const id = asked.body.deletion_request_id ?? "";
    // Until then its status may change between two requests for it.
    await scene.completed(customer, id);
    return { query: { deletion_request_id: id } };
  },
};

export const newWebhook = {
  url: "https://hooks.example.com/sluice",
  events: ["sluice.deletion.completed"],
};

const webhooks = "/v2/webhook_endpoint";
let webhooksMade = 0;

/** So that an organization never has too many. */
async function removeWebhooks(scene: Scene, customer: Customer): Promise<void> {
  const { body } = await scene.ask(customer, { method: "GET", path: webhooks });
  const { webhook_endpoints: all } = body as {
    webhook_endpoints: readonly { webhook_endpoint_id: string }[];
  };
  for (const { webhook_endpoint_id: id } of all)
    await scene.ask(customer, {
      method: "DELETE",
      path: webhooks,
      body: { webhook_endpoint_id: id },
    });
}

export async function addWebhook(scene: Scene, customer: Customer): Promise<string> {
  await removeWebhooks(scene, customer);
  const asked = await scene.ask(customer, { method: "POST", path: webhooks, body: newWebhook });
  const { webhook_endpoint_id: id = "" } = asked.body as { webhook_endpoint_id?: string };
  return id;
}

let names = 0;
function newName(): string {
  names += 1;
  return `recipient-${names}`;
}

/** The only one, so that an organization never has too many. */
async function addRecipient(scene: Scene, customer: Customer): Promise<string> {
  const path = "/v2/recipient";
  const body = { name: "only", types: ["person"] };
  const reply = await scene.ask(customer, { method: "POST", path, body });
  assert.equal(reply.status, 200, reply.text);
  return body.name;
}

async function newRecord(
  scene: Scene,
  _customer: Customer,
  operation: Operation,
): Promise<Content> {
  return { body: inForm(operation, scene.records.record(requireType(operation))) };
}

export function tokenRequest(
  { organizationId }: Customer,
  scopes = ["transactions:write"],
): object {
  return { expiry_seconds: 300, scopes: { organization_id: organizationId, scopes } };
}

/** The record as a list where the operation accepts only lists. */
export function inForm({ body }: Operation, record: object): unknown {
  return body === "list" ? [record] : record;
}

async function deletionByType(scene: Scene, customer: Customer): Promise<object> {
  const transaction = typeNamed("transaction");
  const record = await scene.addRecord(customer, transaction);
  return {
    resource_type: transaction.resourceType,
    resource_id: idOf(transaction, record),
    reason: "a test",
  };
}
