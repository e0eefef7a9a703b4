// The examples in /openapi.json are true: each request that it shows is sent to a service and
// succeeds, and the reply matches the document, without a field that it does not name.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { buildOpenApi, publishOpenApi } from "../../src/process/openapi.ts";
import { operations } from "../../src/process/operations.ts";
import type { OpenApiDocument, ResponseObject } from "../../src/http/openapi/document.ts";
import { type Operation, requireType } from "../../src/http/operation.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import type { Reply } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { eachOperation, makeCompiler } from "./document-walk.ts";
import { sampled } from "../feature/samples.ts";

/** With unions, which the published document leaves out. */
const whole = buildOpenApi();

const service = await startService();
const { text } = await service.client.send({ method: "GET", path: "/openapi.json" });
const document = JSON.parse(text) as OpenApiDocument;
const closed = makeCompiler(whole, { closed: true });
after(() => service.stop());

interface Sent {
  readonly operation: Operation;
  readonly value: unknown;
}

/** As a new customer each time, so that examples do not affect each other. */
async function send({ operation, value }: Sent): Promise<Reply> {
  const customer = await makeCustomer(service.app, service.client);
  const { method, path, verb, type } = operation;
  const isAdded = verb === "add records" || verb === "append records" || verb === "issue token";
  if (!isAdded) await addExamples(customer, type === undefined ? recordTypes : [type]);
  if (verb !== "issue token") {
    const { token } = customer;
    const prepare = sampled("examples")[verb];
    const body = prepare === undefined ? value : await prepare(service, customer, value);
    return service.client.send({ method, path, token, body });
  }
  const { organizationId, apiKey } = customer;
  const asked = value as { scopes: object };
  const body = { ...asked, scopes: { ...asked.scopes, organization_id: organizationId } };
  return service.client.send({ method, path, headers: { authorization: apiKey }, body });
}

/** The examples of these types, as records. */
async function addExamples({ token }: Customer, types: readonly RecordType[]): Promise<void> {
  for (const { resourceType, example } of types) {
    const path = `/v2/${resourceType}`;
    const reply = await service.client.send({ method: "POST", path, token, body: example });
    assert.equal(reply.status, 201, reply.text);
  }
}

function requireAsDocumented({ method, path, success }: Operation, reply: Reply): void {
  assert.equal(reply.status, success, reply.text);
  const found = eachOperation(whole).find((one) => one.method === method && one.path === path);
  const response = found?.operation.responses[success] as ResponseObject | undefined;
  const type = reply.headers["content-type"]?.split(";", 1)[0] ?? "";
  const schema = response?.content?.[type]?.schema;
  assert.ok(schema !== undefined, `${type} is not in the document`);
  const validate = closed(schema);
  assert.ok(
    validate(JSON.parse(reply.text)),
    `${JSON.stringify(validate.errors)} in ${reply.text}`,
  );
}

describe("a request that the document shows succeeds", () => {
  for (const operation of operations) {
    const { method, path } = operation;
    const found = eachOperation(whole).find((one) => one.method === method && one.path === path);
    const content = found?.operation.requestBody?.content ?? {};
    for (const [name, { value }] of Object.entries(content["application/json"]?.examples ?? {})) {
      it(`${method} ${path}: ${name}`, async () => {
        requireAsDocumented(operation, await send({ operation, value }));
      });
    }
  }
});

describe("a lookup that the document shows succeeds", () => {
  for (const operation of operations.filter(({ verb }) => verb === "check record")) {
    it(`GET ${operation.path}`, async () => {
      const customer = await makeCustomer(service.app, service.client);
      const { path } = operation;
      const type = requireType(operation);
      await addExamples(customer, [type]);
      const query = { [type.idField]: String(type.example[type.idField]) };
      const { token } = customer;
      const reply = await service.client.send({ method: "GET", path, query, token });
      requireAsDocumented(operation, reply);
    });
  }
});

describe("the served document", () => {
  it("equals the printed one, except for the address, which is relative", () => {
    const { servers, ...served } = document;
    const { servers: _printed, ...printed } = publishOpenApi();
    assert.deepEqual(served, JSON.parse(JSON.stringify(printed)));
    assert.deepEqual(
      servers.map(({ url }) => url),
      ["/"],
    );
  });
});
