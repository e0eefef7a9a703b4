// Events reach real receivers of OTLP and syslog: all of the trail, in order, without content, whatever the receivers
// do.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { auditAccess } from "../../../src/actions/trail/audit-access.ts";
import { createKey } from "../../../src/actions/access/keys.ts";
import { trailEvents } from "../../../src/domain/event.ts";
import { makeCertificates } from "../../support/certificates.ts";
import { makeCustomer } from "../../support/customer.ts";
import {
  accept,
  type OtlpReceiver,
  startOtlp,
  startSyslog,
  type SyslogReceiver,
} from "../../support/event-receivers.ts";
import { type Service, startService } from "../../support/service.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { waitFor } from "../../support/wait-for.ts";

const folder = makeTempFolder();
after(() => removeFolder(folder));
const certificates = makeCertificates(folder, { name: "localhost", owner: {} });

async function addKeys({ app }: Service, count: number): Promise<void> {
  const [organization] = await app.store.listOrganizations();
  const organizationId = organization?.organizationId ?? "";
  for (let number = 0; number < count; number += 1) {
    await createKey(app, { organizationId, scopes: ["transactions:write"] });
  }
}

async function entriesOf({ app }: Service): Promise<readonly number[]> {
  return (await app.store.listAudit(0, 1_000)).map(({ entryNo }) => entryNo);
}

const ofOtlp = ({ records }: OtlpReceiver) =>
  records.flatMap(({ fields }) => ("entry_no" in fields ? [Number(fields["entry_no"])] : []));
const ofSyslog = ({ messages }: SyslogReceiver) =>
  messages.flatMap(({ fields }) => ("entry_no" in fields ? [Number(fields["entry_no"])] : []));

/** Without repetitions, in the order of the first time. */
const firstOf = (numbers: readonly number[]) => [...new Set(numbers)];

async function isComplete(service: Service, got: () => readonly number[]): Promise<void> {
  const all = await entriesOf(service);
  await waitFor("all entries", () => new Set(got()).size >= all.length);
  assert.deepEqual(firstOf(got()), all);
}

describe("events over OTLP", () => {
  it("are the trail in order, without content, and continue after a restart", async () => {
    const home = makeTempFolder();
    const receiver = await startOtlp();
    const environment = {
      EVENTS_OTLP_ENDPOINT: receiver.endpoint,
      EVENTS_OTLP_HEADERS: "x-team=blue%20one",
    };
    const first = await startService({ environment, folder: home });
    const customer = await makeCustomer(first.app, first.client);
    const path = "/v2/transaction";
    const sent = { tx_id: "canary-id", timestamp: "2026-01-01T00:00:00Z" };
    await first.client.send({ method: "POST", path, token: customer.token, body: sent });
    const wanted = { tx_id: "canary-id", reason: "canary-reason" };
    await first.client.send({ method: "DELETE", path, token: customer.token, body: wanted });
    const { organizationId } = customer;
    const subject = { organizationId, resourceType: "person", resourceId: "canary" } as const;
    const about = { organizationId, subject, detail: { reason: "canary-reason" } };
    await auditAccess(first.app, "record.show", about);
    await isComplete(first, () => ofOtlp(receiver));
    await first.stop();
    const before = ofOtlp(receiver).length;
    const second = await startService({ environment, folder: home, clock: first.clock });
    await addKeys(second, 3);
    await isComplete(second, () => ofOtlp(receiver));
    assert.ok(before > 0);
    assert.equal(receiver.headers[0]?.["x-team"], "blue one");
    for (const { name } of receiver.records) assert.ok(name in trailEvents, name);
    const key = receiver.records.find(({ name }) => name === "key.create");
    assert.equal(key?.fields["subject"], customer.keyId);
    assert.ok(Array.isArray(key?.fields["detail.scopes"]));
    const all = receiver.bodies.join("");
    for (const secret of ["canary", "sha256:", customer.apiKey, customer.token]) {
      assert.ok(!all.includes(secret), secret);
    }
    const metrics = await second.client.send({ method: "GET", path: "/metrics" });
    assert.match(metrics.text, /sluice_event_lag_seconds\{destination="otlp"\} 0/);
    await second.stop();
    removeFolder(home);
    await receiver.close();
  });

  it("wait for a receiver that is away, slow, or answers an error", async () => {
    const receiver = await startOtlp();
    const port = Number(new URL(receiver.endpoint).port);
    await receiver.close();
    const service = await startService({
      environment: { EVENTS_OTLP_ENDPOINT: receiver.endpoint },
    });
    await makeCustomer(service.app, service.client);
    await waitFor("a failure", () => service.log.some((line) => line.includes("were not sent")));
    const back = await startOtlp(port);
    back.answer((response, number) => {
      if (number === 1) response.writeHead(503).end();
      else setTimeout(() => accept(response), 300);
    });
    await addKeys(service, 3);
    await isComplete(service, () => ofOtlp(back));
    assert.ok(!service.log.some((line) => line.includes(String(port))));
    await service.stop();
    await back.close();
  });

  it("leave a receiver alone for as long as it asks, up to ten minutes", async () => {
    const receiver = await startOtlp();
    let requests = 0;
    receiver.answer((response) => {
      requests += 1;
      response.writeHead(429, { "retry-after": "86400" }).end();
    });
    const environment = { EVENTS_OTLP_ENDPOINT: receiver.endpoint };
    const service = await startService({ environment });
    await makeCustomer(service.app, service.client);
    await waitFor("a refusal", () => requests > 0);
    await sleep(2_500);
    assert.equal(requests, 1);
    receiver.answer((response) => accept(response));
    service.clock.advanceMs(10 * 60_000);
    await isComplete(service, () => ofOtlp(receiver));
    await service.stop();
    await receiver.close();
  });

  it("go over https only to a receiver of the name in its certificate", async () => {
    const { server, serverKey, authority } = certificates;
    const [cert, key] = [readFileSync(server), readFileSync(serverKey)];
    let requests = 0;
    const other = createServer({ cert, key }, (_request, response) => {
      requests += 1;
      accept(response);
    });
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const failed = async (host: string) => {
      const environment = {
        EVENTS_OTLP_ENDPOINT: `https://${host}:${port}/v1/logs`,
        EVENTS_CA_FILE: authority,
      };
      const service = await startService({ environment });
      await makeCustomer(service.app, service.client);
      const isFailed = () => service.log.some((line) => line.includes("were not sent"));
      await waitFor("an attempt", () => requests > 0 || isFailed());
      await service.stop();
      return isFailed();
    };
    assert.deepEqual([await failed("127.0.0.1"), requests], [true, 0]);
    assert.equal(await failed("localhost"), false);
    other.closeAllConnections();
    other.close();
  });

  it("are not sent again if the receiver refuses some for good, which is counted", async () => {
    const receiver = await startOtlp();
    receiver.answer((response) =>
      accept(response, '{"partialSuccess":{"rejectedLogRecords":"1"}}'),
    );
    const service = await startService({
      environment: { EVENTS_OTLP_ENDPOINT: receiver.endpoint },
    });
    await makeCustomer(service.app, service.client);
    await isComplete(service, () => ofOtlp(receiver));
    const path = "/metrics";
    await waitFor("the count", async () =>
      /result="refused"\} [1-9]/.test((await service.client.send({ method: "GET", path })).text),
    );
    await service.stop();
    assert.deepEqual(ofOtlp(receiver), firstOf(ofOtlp(receiver)));
    await receiver.close();
  });
});

describe("refusals", () => {
  it("are counts for each minute, whatever is sent", async () => {
    const receiver = await startOtlp();
    const service = await startService({
      environment: { EVENTS_OTLP_ENDPOINT: receiver.endpoint },
    });
    const customer = await makeCustomer(service.app, service.client, {
      scopes: ["transactions:write"],
    });
    const path = "/v2/transaction?tx_id=x";
    for (let number = 0; number < 20; number += 1) {
      await service.client.send({ method: "GET", path, token: `canary-token-${number}` });
    }
    const forbidden = { method: "GET", path: "/v2/changes", token: customer.token } as const;
    assert.equal((await service.client.send(forbidden)).status, 403);
    service.clock.advanceMs(60_000);
    const find = (name: string) => receiver.records.find((record) => record.name === name)?.fields;
    const failed = await waitFor("the counts", () => find("authentication.failed"));
    assert.deepEqual([failed["by"], failed["count"]], ["api", "20"]);
    assert.equal(Date.parse(String(failed["until"])) - Date.parse(String(failed["from"])), 60_000);
    const right = await waitFor("the right", () => find("right.refused"));
    assert.deepEqual([right["by"], right["count"]], ["api", "1"]);
    assert.ok(!receiver.bodies.join("").includes("canary"));
    await service.stop();
    await receiver.close();
  });
});

describe("events by syslog", () => {
  it("have the form of RFC 5424, over TCP", async () => {
    const receiver = await startSyslog();
    const url = `syslog+tcp://127.0.0.1:${receiver.port}`;
    const service = await startService({ environment: { EVENTS_SYSLOG_URL: url } });
    await makeCustomer(service.app, service.client, { name: "Zoë" });
    await isComplete(service, () => ofSyslog(receiver));
    const head = /^<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z [\x21-\x7e]+ sluice \d+ [a-z_.]{1,32} - $/;
    for (const message of receiver.messages) assert.match(message.head, head);
    await service.stop();
    await receiver.close();
  });

  it("go over TLS to a receiver with a trusted certificate of its name only", async () => {
    const receiver = await startSyslog({ certificates });
    const url = `syslog+tls://localhost:${receiver.port}`;
    const untrusted = await startService({ environment: { EVENTS_SYSLOG_URL: url } });
    await makeCustomer(untrusted.app, untrusted.client);
    await waitFor("a failure", () => untrusted.log.some((line) => line.includes("were not sent")));
    assert.deepEqual(receiver.messages, []);
    await untrusted.stop();
    const environment = { EVENTS_SYSLOG_URL: url, EVENTS_CA_FILE: certificates.authority };
    const byAddress = { ...environment, EVENTS_SYSLOG_URL: url.replace("localhost", "127.0.0.1") };
    const misnamed = await startService({ environment: byAddress });
    await makeCustomer(misnamed.app, misnamed.client);
    await waitFor("a failure", () => misnamed.log.some((line) => line.includes("were not sent")));
    assert.deepEqual(receiver.messages, []);
    await misnamed.stop();
    const service = await startService({ environment });
    await makeCustomer(service.app, service.client);
    await isComplete(service, () => ofSyslog(receiver));
    await service.stop();
    await receiver.close();
  });

  it("reach a receiver that ends the connection after each frame", async () => {
    const receiver = await startSyslog({
      serve: (socket, take) =>
        socket.on("data", (chunk: Buffer) => {
          const first = chunk.subarray(0, Number(chunk.toString().split(" ", 1)[0]) + 4);
          take(first);
          socket.destroy();
        }),
    });
    const url = `syslog+tcp://127.0.0.1:${receiver.port}`;
    const service = await startService({ environment: { EVENTS_SYSLOG_URL: url } });
    await makeCustomer(service.app, service.client);
    await isComplete(service, () => ofSyslog(receiver));
    await service.stop();
    await receiver.close();
  });

  it("are not lost in a receiver that accepts and never reads", async () => {
    const silent = await startSyslog({ serve: (socket) => void socket.pause() });
    const url = `syslog+tcp://127.0.0.1:${silent.port}`;
    const service = await startService({ environment: { EVENTS_SYSLOG_URL: url } });
    await makeCustomer(service.app, service.client);
    await waitFor("a second attempt", () => silent.connections >= 2);
    await silent.close();
    const receiver = await startSyslog({ port: silent.port });
    await isComplete(service, () => ofSyslog(receiver));
    await service.stop();
    await receiver.close();
  });

  it("reach a slow receiver, which delays no request", async () => {
    const receiver = await startSyslog({
      serve: (socket, take) =>
        socket.on("data", (chunk: Buffer) => {
          take(chunk);
          socket.pause();
          setTimeout(() => socket.resume(), 500);
        }),
    });
    const url = `syslog+tcp://127.0.0.1:${receiver.port}`;
    const service = await startService({ environment: { EVENTS_SYSLOG_URL: url } });
    await makeCustomer(service.app, service.client);
    await waitFor("a connection", () => receiver.connections > 0);
    const asked = await service.client.send({ method: "GET", path: "/health/ready" });
    assert.equal(asked.status, 200);
    await isComplete(service, () => ofSyslog(receiver));
    await service.stop();
    await receiver.close();
  });

  it("are not lost in a receiver that accepts and closes at once", async () => {
    const empty = await startSyslog({ serve: (socket) => void socket.destroy() });
    const url = `syslog+tcp://127.0.0.1:${empty.port}`;
    const service = await startService({ environment: { EVENTS_SYSLOG_URL: url } });
    await makeCustomer(service.app, service.client);
    await waitFor("two attempts", () => empty.connections >= 2);
    await empty.close();
    const receiver = await startSyslog({ port: empty.port });
    await isComplete(service, () => ofSyslog(receiver));
    await service.stop();
    await receiver.close();
  });
});
