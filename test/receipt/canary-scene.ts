// A service full of canaries, half of which are then deleted over HTTP while other clients continue
// to write. The same on every engine.

import assert from "node:assert/strict";
import type { Payload } from "../../src/domain/record-type.ts";
import { recordTypeByName } from "../../src/domain/record-types.ts";
import type { Store } from "../../src/store/interface/store.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import type { Client } from "../support/http-client.ts";
import type { Server } from "../support/server.ts";
import { waitFor } from "../support/wait-for.ts";
import { canaryRecord, goes, stays } from "./canary.ts";
import { awaitCompletion } from "./scene.ts";

export interface CanaryScene {
  readonly customer: Customer;
  /** What has to be there at the end, unchanged. */
  readonly kept: readonly { readonly type: string; readonly payload: Payload }[];
  readonly deletionRequestIds: readonly string[];
  /** Lets the writers end. */
  stopWriting(): Promise<void>;
}

const countries = { sender_country: "DE", receiver_country: "FR" };

interface Group {
  readonly word: string;
  readonly number: number;
}

/**
 * A transaction and a person with everything that can belong to each. Only the ids of those two
 * contain no canary: they are retained.
 */
function recordsOf({
  word,
  number,
}: Group): readonly (readonly [type: string, payload: Payload])[] {
  const [tx, person] = [`tx-${number}`, `person-${number}`];
  const id = (name: string) => `${word}-${name}-${number}`;
  const about = { related_person_id: person };
  return [
    ["transaction", { tx_id: tx, ...countries, sender_id: person, receiver_id: id("receiver") }],
    ["transaction_check", { check_id: id("check"), related_tx_ids: [tx] }],
    ["transaction_alert", { alert_id: id("alert"), related_check_id: id("check") }],
    [
      "transaction_suspicious_activity",
      { suspicious_activity_id: id("activity"), related_alert_id: id("alert") },
    ],
    ["screening", { screening_id: id("screening"), related_tx_id: tx }],
    ["person", { person_id: person }],
    ["screening", { screening_id: id("person-screening"), ...about }],
    ["risk_assessment", { assessment_id: id("assessment"), ...about }],
    ["identity_verification", { verification_id: id("verification"), ...about }],
    ["onboarding_flow", { onboarding_flow_id: id("flow"), ...about }],
    ["customer_sar", { sar_id: id("sar"), ...about }],
  ].map(([type, fields]) => [
    type as string,
    canaryRecord(type as string, word, fields as Payload),
  ]);
}

/** `recipient`: one that is told what is erased. */
export async function playCanaries(
  server: Server,
  groups = 24,
  { recipient }: { readonly recipient?: string } = {},
): Promise<CanaryScene> {
  const { client } = server;
  const customer = await server.operate((app) => makeCustomer(app, client));
  const { token } = customer;
  if (recipient !== undefined) {
    await client.send({ method: "POST", path: "/v2/recipient", token, body: { name: recipient } });
  }
  const kept: { type: string; payload: Payload }[] = [];
  for (let number = 0; number < groups; number += 1) {
    const word = number % 2 === 0 ? goes : stays;
    for (const [index, [type, payload]] of recordsOf({ word, number }).entries()) {
      await send(client, customer, {
        method: "POST",
        type,
        payload,
        key: `${word}-${number}-${index}`,
      });
      if (word === stays) kept.push({ type, payload });
      const later = { ...payload, timestamp: "2027-01-01T00:00:00Z" };
      await send(client, customer, { method: "PUT", type, payload: later, key: undefined });
    }
  }
  await addShared(client, customer, kept);
  const writing = startWriting(client, customer, kept);
  const ids: string[] = [];
  for (let number = 0; number < groups; number += 2) {
    ids.push(await remove(client, customer, "transaction", { tx_id: `tx-${number}` }));
    ids.push(await remove(client, customer, "person", { person_id: `person-${number}` }));
  }
  for (const id of ids) await awaitCompletion(client, customer, id);
  await waitFor("the others to have written", () => writing.written() > 20);
  return { customer, kept, deletionRequestIds: ids, stopWriting: () => writing.stop() };
}

/**
 * An alert that belongs to something that is erased and something that stays: it stays, without the
 * reference.
 */
async function addShared(
  client: Client,
  customer: Customer,
  kept: { type: string; payload: Payload }[],
): Promise<void> {
  const type = "transaction_alert";
  const fields = { alert_id: `${stays}-shared`, related_check_id: `${goes}-check-0` };
  const payload = canaryRecord(type, stays, { ...fields, related_tx_ids: ["tx-1"] });
  await send(client, customer, { method: "POST", type, payload, key: undefined });
  const { related_check_id: _gone, ...left } = payload;
  kept.push({ type, payload: left });
}

function startWriting(
  client: Client,
  customer: Customer,
  kept: { type: string; payload: Payload }[],
): { written(): number; stop(): Promise<void> } {
  const ending = new AbortController();
  let written = 0;
  async function write(name: string): Promise<void> {
    for (let number = 0; !ending.signal.aborted; number += 1) {
      const payload = canaryRecord("transaction", stays, {
        tx_id: `${stays}-${name}-${number}`,
        ...countries,
        receiver_id: "r",
      });
      await send(client, customer, {
        method: "POST",
        type: "transaction",
        payload,
        key: undefined,
      });
      kept.push({ type: "transaction", payload });
      written += 1;
    }
  }
  const writers = Promise.all([write("one"), write("two")]);
  return {
    written: () => written,
    stop: async () => {
      ending.abort();
      await writers;
    },
  };
}

interface Sending {
  readonly method: "POST" | "PUT";
  readonly type: string;
  readonly payload: Payload;
  readonly key: string | undefined;
}

async function send(
  client: Client,
  { token }: Customer,
  { method, type, payload, key }: Sending,
): Promise<void> {
  const headers = { "idempotency-key": key };
  const path = `/v2/${type}`;
  const reply = await client.send({ method, path, token, headers, body: payload });
  assert.ok(reply.status === 200 || reply.status === 201, reply.text);
}

async function remove(
  client: Client,
  { token }: Customer,
  ...[type, named]: [string, Readonly<Record<string, string>>]
): Promise<string> {
  const body = { ...named, reason: "asked for" };
  const headers = { "idempotency-key": `${goes}-${JSON.stringify(named)}` };
  const reply = await client.send({ method: "DELETE", path: `/v2/${type}`, token, headers, body });
  assert.equal(reply.status, 200, reply.text);
  return String(reply.body.deletion_request_id);
}

/** Requires that every record which was to stay has its first change as it was sent. */
export async function requireKept(store: Store, { kept, customer }: CanaryScene): Promise<void> {
  for (const { type, payload } of kept) {
    const { idField } = recordTypeByName(type) ?? { idField: "" };
    const history = await store.readHistory({
      organizationId: customer.organizationId,
      resourceType: type,
      resourceId: String(payload[idField]),
    });
    const first = JSON.parse(history?.changes[0]?.payload ?? "{}") as object;
    assert.deepEqual(first, { ...first, ...payload }, type);
  }
  assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
}
