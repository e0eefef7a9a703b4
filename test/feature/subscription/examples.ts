// What the examples of the operations need before they can be sent.

import assert from "node:assert/strict";
import { subscriptions } from "../../../src/feature/subscription/store/part.ts";
import { operator } from "../../conformance/scene.ts";
import type { Prepare } from "../sample.ts";
import { newEndpoint } from "../webhook/store/webhooks.ts";

const removeEndpoint: Prepare = async ({ app }, { organizationId }, example) => {
  const { webhook_endpoint_id: endpointId } = example as { webhook_endpoint_id: string };
  const endpoint = newEndpoint(endpointId, { organizationId });
  await app.store.of(subscriptions).createEndpoint(endpoint, operator);
  return example;
};

const register: Prepare = async ({ client }, { token }, example) => {
  const { name } = example as { name: string };
  const reply = await client.send({ method: "POST", path: "/v2/recipient", token, body: { name } });
  assert.equal(reply.status, 200, reply.text);
  return example;
};

/** An offset is of the feed that returned it, so the customer's own replaces that of the example. */
const acknowledge: Prepare = async (service, customer, example) => {
  await register(service, customer, example);
  const page = { method: "GET", path: "/v2/changes", token: customer.token };
  const { headers } = await service.client.send(page);
  return { ...(example as object), offset: headers["stream-next-offset"] };
};

export const examples: Readonly<Record<string, Prepare>> = {
  "remove webhook endpoint": removeEndpoint,
  "remove recipient": register,
  acknowledge,
};
