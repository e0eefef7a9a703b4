// Before anything has answered, the address is more likely wrong than the service down: the client
// gives up soon, and says why.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { Sluice, SluiceNetworkError } from "../../client/src/sluice.ts";
import { findFreePort } from "../support/free-port.ts";
import { failConnection, follow, recordWaits, refuse, timeoutMs } from "./scripted-fetch.ts";

const getToken = async () => ({ token: "t", expiry: 0 });
const other = { apiKey: undefined, getToken, timeoutMs };

describe("before the first reply", () => {
  it("a call is retried for five seconds", async (test) => {
    const waits = recordWaits(test, 1);
    const { client } = follow([failConnection], other);
    await assert.rejects(client.persons.exists("p"), SluiceNetworkError);
    assert.deepEqual(waits.map(Math.round), [200, 400, 800, 1_600, 2_000]);
  });

  it("ends with any reply, such as that of a proxy", async (test) => {
    recordWaits(test, 1);
    const begun = performance.now();
    const { client } = follow([failConnection, refuse(50301), failConnection], other);
    await assert.rejects(client.persons.exists("p"), SluiceNetworkError);
    assert.ok(Math.abs(performance.now() - begun - 120_000) < 1);
  });
});

/** The message of the error of a call that is not retried. */
async function messageAt(baseUrl: string): Promise<string> {
  const client = new Sluice({ baseUrl, getToken, retryForMs: 0 });
  const error: unknown = await client.persons.exists("p-secret").catch((caught: unknown) => caught);
  assert.ok(error instanceof SluiceNetworkError);
  return error.message;
}

describe("the error of a call without a reply names", () => {
  const where = "No complete reply arrived (GET /v2/person): ";

  it("a host that is not found", async () => {
    const message = await messageAt("http://sluice.invalid:8080");
    assert.match(message, /: getaddrinfo E[A-Z_]+ sluice\.invalid\.$/);
  });

  it("a port that refuses", async () => {
    const port = await findFreePort();
    const message = await messageAt(`http://localhost:${port}`);
    assert.match(message, /: connect ECONNREFUSED [\d.:]+\.$/);
  });

  it("a server without TLS", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      const message = await messageAt(`https://127.0.0.1:${port}`);
      assert.match(message, /: [a-z ]+ \(ERR_SSL_[A-Z_]+\)\.$/);
    } finally {
      server.close();
    }
  });

  it("what another runtime says, without the id in the query", async () => {
    const address = "https://sluice.invalid/v2/person?person_id=p-secret";
    const failure = new TypeError(`error sending request for url (${address}): refused`);
    const { client } = follow([() => Promise.reject(failure)], { retryForMs: 0 });
    await assert.rejects(client.persons.exists("p-secret"), {
      message: `${where}error sending request for url (https://sluice.invalid/v2/person): refused.`,
    });
  });
});
