// A restart of the service, a real one, that takes 30 seconds by the clock of the client.

import assert from "node:assert/strict";
import { it } from "node:test";
import { Sluice } from "../../client/src/sluice.ts";
import { makeCustomer } from "../support/customer.ts";
import { findFreePort } from "../support/free-port.ts";
import { makeClient } from "../support/http-client.ts";
import { operate } from "../support/server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { recordWaits, timeoutMs } from "./scripted-fetch.ts";

const outageMs = 30_000;
const callsAtOnce = 4;

it("a restart of 30 seconds loses no call of the client, and repeats none", async (test) => {
  const folder = makeTempFolder();
  const environment = testEnvironment(folder, { PORT: String(await findFreePort()) });
  let server: ServerProcess = await startServerProcess(environment);
  test.after(() => server.end("SIGTERM"));
  const { apiKey, organizationId } = await operate(environment, (app) =>
    makeCustomer(app, server.client),
  );

  const baseUrl = server.address;
  let restart: Promise<void> | undefined;
  const connections = makeClient(baseUrl);
  test.after(() => connections.close());
  // Not the runtime's own, whose timers would be over at once as well.
  const fetch: typeof globalThis.fetch = async (url, { method = "GET", headers, body } = {}) => {
    if (performance.now() >= backAt) {
      restart ??= startServerProcess(environment).then((again) => void (server = again));
      await restart;
    }
    if (typeof url !== "string") throw new TypeError("the client sends to addresses as text");
    const path = url.slice(baseUrl.length);
    const sent = { method, path, headers: headers as Record<string, string>, body };
    const { status, bytes, text } = await connections.send(sent);
    const type = { "content-type": "application/json" };
    return bytes.length === 0
      ? new Response(null, { status })
      : new Response(text, { status, headers: type });
  };
  let backAt = Number.POSITIVE_INFINITY;
  const client = new Sluice({ baseUrl, apiKey, organizationId, timeoutMs, fetch });
  const transaction = {
    type: "DEPOSIT",
    method: "SEPA",
    amount: 1,
    currency: "EUR",
    status: "SETTLED",
    sender_id: "p",
    sender_country: "DE",
    timestamp: "2026-07-01T00:00:00Z",
  } as const;
  const add = (id: string) => client.transactions.add({ tx_id: id, ...transaction });
  await add("before");

  await server.end("SIGTERM");
  recordWaits(test, 0.5);
  backAt = performance.now() + outageMs;
  const ids = Array.from({ length: callsAtOnce }, (_, nth) => `during-${nth}`);
  const replies = await Promise.all(ids.map(add));
  assert.deepEqual(
    replies.map(({ write_count }) => write_count),
    ids.map(() => 1),
  );
  assert.ok(restart !== undefined && performance.now() >= backAt);
  for (const id of ids) assert.equal((await client.transactions.exists(id))?.tx_id, id);
});
