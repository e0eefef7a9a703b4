// The purpose of a stop with SHUTDOWN_DELAY_MS: while a server reports that it is not ready, it
// still accepts every request, so that a load balancer has time to stop sending. Separate
// processes, clients that keep their connections.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, afterEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCustomer } from "../support/customer.ts";
import { type Client, makeClient } from "../support/http-client.ts";
import { type Backend, startLoadBalancer } from "../support/load-balancer.ts";
import { makeRecordGenerator } from "../support/record-generator.ts";
import { operate } from "../support/server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { openTestStore } from "../support/test-store.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { typeNamed } from "./scene.ts";

const type = typeNamed("person");
const records = makeRecordGenerator(11);
/** Long enough that only a second signal ends it. */
const endless = { SHUTDOWN_DELAY_MS: "600000" };
const copiesMs = 200;
/** Between two requests of a client. */
const pauseMs = 20;

const folders: string[] = [];
const running = new Set<ServerProcess>();
const sending = new Set<() => Promise<void>>();

afterEach(async () => {
  for (const stop of sending) await stop();
  sending.clear();
  for (const server of running) await server.end("SIGKILL");
  running.clear();
});
after(() => folders.forEach(removeFolder));

interface Site extends Backend {
  readonly server: ServerProcess;
  readonly environment: Readonly<Record<string, string>>;
  readonly organizationId: string;
}

async function startSite(settings: Readonly<Record<string, string>>): Promise<Site> {
  const folder = makeTempFolder();
  folders.push(folder);
  const environment = testEnvironment(folder, { LOG_LEVEL: "info", ...settings });
  const server = await startServerProcess(environment);
  running.add(server);
  const { token, organizationId } = await operate(environment, (app) =>
    makeCustomer(app, server.client),
  );
  return { server, environment, address: server.address, organizationId, token };
}

/** Signals this soon after another count as copies of it. */
function signalAgain({ child }: ServerProcess, signalledAt: number): Promise<void> {
  return waitFor("copies of the signal to be over", () => {
    if (performance.now() - signalledAt < 2 * copiesMs) return undefined;
    child.kill("SIGTERM");
    return true;
  }).then(() => undefined);
}

function readiness(client: Client): Promise<number> {
  return client.send({ method: "GET", path: "/health/ready" }).then(({ status }) => status);
}

function untilDraining(client: Client): Promise<unknown> {
  return waitFor("readiness to end", async () => (await readiness(client)) === 503);
}

interface Sent {
  readonly id: unknown;
  readonly status: number;
  readonly connection: string | undefined;
}

/**
 * Clients that send one record after another over their own connections, until they are told to
 * stop.
 */
function sendContinuously(address: string, token: string) {
  const sent: Sent[] = [];
  const failures: string[] = [];
  const over = new AbortController();
  const senders = Array.from({ length: 4 }, async () => {
    const client = makeClient(address);
    while (!over.signal.aborted) {
      const body = records.record(type);
      try {
        const ask = { method: "POST", path: "/v2/person", token, body };
        const { status, headers } = await client.send(ask);
        sent.push({ id: body["person_id"], status, connection: headers.connection });
      } catch (error) {
        failures.push(String(error));
      }
      await sleep(pauseMs);
    }
    client.close();
  });
  const stop = async (): Promise<void> => {
    over.abort();
    await Promise.all(senders);
  };
  sending.add(stop);
  return { sent, failures, stop };
}

function more(sent: readonly unknown[], count: number): Promise<unknown> {
  const from = sent.length;
  return waitFor("more replies", () => sent.length >= from + count);
}

function statusesOf(sent: readonly Sent[]): ReadonlySet<number> {
  return new Set(sent.map(({ status }) => status));
}

describe("SIGTERM with SHUTDOWN_DELAY_MS", () => {
  it("loses no request with a load balancer that follows readiness", async () => {
    const [leaving, staying] = [await startSite(endless), await startSite({})];
    const balancer = await startLoadBalancer([leaving, staying]);
    const clients = sendContinuously(balancer.address, "");
    await waitFor("both to answer", () =>
      [leaving, staying].every((site) => balancer.stateOf(site).answered > 30),
    );
    const signalledAt = performance.now();
    leaving.server.child.kill("SIGTERM");
    await waitFor("the balancer to leave it", () => {
      const { ready, inFlight } = balancer.stateOf(leaving);
      return !ready && inFlight === 0;
    });
    const { answered } = balancer.stateOf(leaving);
    await signalAgain(leaving.server, signalledAt);
    assert.equal(await leaving.server.ended(), 0, leaving.server.output().err);
    await more(clients.sent, 50);
    await clients.stop();
    await balancer.close();
    assert.deepEqual(balancer.lost, []);
    assert.deepEqual(clients.failures, []);
    assert.deepEqual(statusesOf(clients.sent), new Set([201]));
    assert.equal(balancer.stateOf(leaving).answered, answered);
    assert.doesNotMatch(
      leaving.server.output().err,
      /stack|not ready|"level":"(?:warn|error|fatal)"/,
    );
  });

  it("accepts requests and connections during the delay but for probes, closes each after its reply, and stores them", async () => {
    const { server, environment, organizationId, token } = await startSite(endless);
    const clients = sendContinuously(server.address, token);
    await more(clients.sent, 20);
    const signalledAt = performance.now();
    server.child.kill("SIGTERM");
    await untilDraining(server.client);
    await more(clients.sent, 100);
    const live = await server.client.send({ method: "GET", path: "/health/live" });
    assert.deepEqual([live.status, live.headers.connection], [200, "close"]);
    for (let count = 0; count < 20; count += 1) {
      const reply = await server.client.send({ method: "GET", path: "/health/ready" });
      assert.deepEqual([reply.status, reply.body.code], [503, 50301]);
      assert.equal(reply.headers["retry-after"], "1");
    }
    await clients.stop();
    await signalAgain(server, signalledAt);
    assert.equal(await server.ended(), 0, server.output().err);
    const lines = server.output().err.trim().split("\n");
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
      ["serving", "draining", "stopping", "stopped"],
      "no request was logged, and no probe",
    );
    assert.deepEqual(clients.failures, []);
    assert.deepEqual(statusesOf(clients.sent), new Set([201]));
    assert.equal(clients.sent.at(0)?.connection, "keep-alive");
    assert.equal(clients.sent.at(-1)?.connection, "close");
    const store = await openTestStore(environment["DATABASE_URL"] ?? "", { role: "command" });
    for (const { id } of clients.sent) {
      const key = { organizationId, resourceType: "person", resourceId: String(id) };
      assert.ok(await store.exists(key));
    }
    await store.close();
  });

  for (const delayMs of [0, 300]) {
    it(`announces the close in a reply that was not sent yet, and ends after ${delayMs} ms`, async () => {
      const { server, token } = await startSite({ SHUTDOWN_DELAY_MS: String(delayMs) });
      const client = connect(Number(new URL(server.address).port), "127.0.0.1");
      const received: string[] = [];
      client.setEncoding("utf8").on("data", (text: string) => received.push(text));
      const body = JSON.stringify(records.record(type));
      client.write(
        `POST /v2/person HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
      );
      await waitFor("the body to be asked for", () => received.length > 0);
      const signalledAt = performance.now();
      server.child.kill("SIGTERM");
      await waitFor("the stop to begin", () => {
        return /"(draining|stopping)"/.test(server.output().err);
      });
      client.end(body);
      await once(client, "close");
      assert.match(received.join(""), /\r\nHTTP\/1\.1 201 [^]*\r\nconnection: close\r\n/i);
      assert.equal(await server.ended(), 0, server.output().err);
      assert.ok(performance.now() - signalledAt >= delayMs);
      if (delayMs > 0) assert.match(server.output().err, /"delay_ms":300,"msg":"draining"/);
    });
  }

  it("is ended by a second signal, and the process by a third", async () => {
    const { server } = await startSite({ ...endless, SHUTDOWN_GRACE_MS: "600000" });
    const held = connect(Number(new URL(server.address).port), "127.0.0.1");
    held.on("error", () => undefined);
    await once(held, "connect");
    held.write("GET /health/live HTTP/1.1\r\nHost:");
    await readiness(server.client);
    const signalledAt = performance.now();
    server.child.kill("SIGTERM");
    await untilDraining(server.client);
    await signalAgain(server, signalledAt);
    await waitFor("the delay to end", () => /"stopping"/.test(server.output().err));
    await signalAgain(server, performance.now());
    assert.equal(await server.ended(), 143);
    held.destroy();
  });
});
