// The tools of contract tests: a service, its client that compares every reply with the OpenAPI
// document, customers, and records of every type.

import assert from "node:assert/strict";
import { showRecord } from "../../src/actions/record/show-record.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { buildOpenApi } from "../../src/process/openapi.ts";
import { type Customer, type CustomerOptions, makeCustomer } from "../support/customer.ts";
import type { Ask, Client, Reply } from "../support/http-client.ts";
import { makeOpenApiCheck } from "../support/openapi-check.ts";
import {
  type Fields,
  makeRecordGenerator,
  type RecordGenerator,
} from "../support/record-generator.ts";
import { type Service, type ServiceOptions, startService } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";

export interface Scene {
  readonly service: Service;
  readonly client: Client;
  readonly records: RecordGenerator;
  makeCustomer(options?: CustomerOptions): Promise<Customer>;
  /** Sends a request with the customer's token. */
  ask(customer: Pick<Customer, "token">, ask: Ask): Promise<Reply>;
  /** Adds a new record over HTTP and returns what was sent. */
  addRecord(customer: Customer, type: RecordType, overrides?: Fields): Promise<Fields>;
  exists(customer: Customer, type: RecordType, record: Fields): Promise<boolean>;
  /** How many changes a record has. */
  changesOf(customer: Customer, type: RecordType, record: Fields): Promise<number>;
  /** Waits until the deletion has been processed, and returns its status object. */
  completed(customer: Customer, deletionRequestId: string): Promise<Reply>;
  stop(): Promise<void>;
}

/**
 * One for all scenes of a process. That the service serves the same document is tested in test/http/openapi-examples.
 */
const checkReply = makeOpenApiCheck(buildOpenApi());

export async function startScene(options: ServiceOptions = {}): Promise<Scene> {
  const service = await startService(options);
  const { client } = service;
  client.observe(checkReply);
  const records = makeRecordGenerator(20_260_601);
  const ask: Scene["ask"] = ({ token }, asked) => client.send({ token, ...asked });
  return {
    service,
    client,
    records,
    ask,
    makeCustomer: (wanted) => makeCustomer(service.app, client, wanted),
    addRecord: async (customer, type, overrides) => {
      const record = records.record(type, overrides);
      const reply = await ask(customer, { method: "POST", path: pathOf(type), body: record });
      assert.equal(reply.status, 201, reply.text);
      return record;
    },
    exists: async ({ token }, type, record) => {
      const query = { [type.idField]: idOf(type, record) };
      return (await ask({ token }, { method: "GET", path: pathOf(type), query })).status === 200;
    },
    changesOf: async ({ organizationId }, { resourceType, ...type }, record) => {
      const key = { organizationId, resourceType, resourceId: String(record[type.idField]) };
      return (await showRecord(service.app, key)).changes.length;
    },
    completed: (customer, deletionRequestId) =>
      waitFor("the deletion to be completed", async () => {
        const reply = await ask(customer, {
          method: "GET",
          path: "/v2/deletion_request",
          query: { deletion_request_id: deletionRequestId },
        });
        return reply.body.status === "completed" ? reply : undefined;
      }),
    stop: () => service.stop(),
  };
}

export function pathOf(type: RecordType): string {
  return `/v2/${type.resourceType}`;
}

/** The path for lists of the type: the same path, or one of its own. */
export function listPathOf(type: RecordType): string {
  return `/v2/${type.batchPath ?? type.resourceType}`;
}

export function idOf(type: RecordType, record: Fields): string {
  return String(record[type.idField]);
}

export function typeNamed(name: string): RecordType {
  const type = recordTypes.find(({ resourceType }) => resourceType === name);
  assert.ok(type !== undefined, `there is no record type ${name}`);
  return type;
}

/** The status of an error is in its code. */
export function assertCode({ status, body, text }: Reply, code: number, what = text): void {
  assert.deepEqual([status, body.code], [Math.floor(code / 100), code], what);
}

/** The fields that an error names. */
export function fieldsOf({ body }: Reply): readonly (string | undefined)[] {
  return body.errors?.map(({ field }) => field) ?? [];
}

/** Whether a record exists: the reply to GET. */
export function check(
  scene: Scene,
  customer: Customer,
  { type, id }: { type: RecordType; id: string },
) {
  return scene.ask(customer, { method: "GET", path: pathOf(type), query: { [type.idField]: id } });
}

let addresses = 0;

/**
 * Headers that make a request come from a /48 of its own, so that failed authentications don't
 * add up.
 */
export function fromNewAddress(): Readonly<Record<string, string>> {
  addresses += 1;
  return { "x-forwarded-for": `2001:db8:${addresses.toString(16)}::1` };
}

/**
 * What may differ between two replies without revealing anything: the request's id, and the time of
 * the reply.
 */
export function withoutRequestId({ status, headers, text }: Reply): unknown {
  const { "x-request-id": _id, date: _date, ...rest } = headers;
  return { status, headers: rest, text };
}

/** The same, without what counts the requests of one organization. */
export function bare(reply: Reply): unknown {
  const { ratelimit: _ratelimit, ...headers } = reply.headers;
  return withoutRequestId({ ...reply, headers });
}
