// Failed authentications in the log: with the address, at a bounded rate, and without what was sent.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pino } from "pino";
import { makeFailureLog } from "../../../src/http/rate-limit/failure-log.ts";
import { read, submit } from "../../console/browse.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { startService } from "../../support/service.ts";

function makeFailures() {
  const clock = makeFakeClock();
  const lines: { address: string; others: number }[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  return { clock, lines, failures: makeFailureLog(log, clock.now) };
}

function from(no: number): Readonly<Record<string, string>> {
  return { "x-forwarded-for": `203.0.113.${no}` };
}

describe("failed authentications", () => {
  it("are logged once a minute for a host, with the number of others", () => {
    const { clock, lines, failures } = makeFailures();
    for (let no = 0; no < 100; no += 1) failures.note("192.0.2.1", "api");
    failures.note("192.0.2.2", "console");
    clock.advanceMs(60_000);
    failures.note("192.0.2.1", "api");
    assert.deepEqual(
      lines.map(({ address, others }) => [address, others]),
      [
        ["192.0.2.1", 0],
        ["192.0.2.2", 99],
        ["192.0.2.1", 0],
      ],
    );
  });

  it("of many hosts are logged once a second, after the first twenty", () => {
    const { clock, lines, failures } = makeFailures();
    for (let no = 0; no < 1_000; no += 1) failures.note(`10.0.${no >> 8}.${no & 255}`, "api");
    assert.equal(lines.length, 20);
    clock.advanceMs(1_000);
    failures.note("192.0.2.1", "api");
    assert.equal(lines[20]?.others, 980);
  });

  it("are logged wherever they happen, and no line contains what was sent", async (test) => {
    const service = await startService({ environment: { METRICS_TOKEN: "0123456789abcdef" } });
    test.after(() => service.stop());
    const secret = "hunter2";
    const get = { method: "GET", path: "/v2/person?person_id=1", token: secret };
    await service.client.send({ ...get, headers: from(1) });
    const key = { ...from(2), authorization: secret };
    await service.client.send({ method: "POST", path: "/auth/token", headers: key });
    await service.client.send({ method: "GET", path: "/metrics", token: secret, headers: from(3) });
    await submit(service.client, "/console/link", { form: { token: secret }, headers: from(4) });
    await read(service.client, `/console/link?token=${secret}`, { headers: from(5) });
    const logged = service.log.filter((line) => line.includes("an authentication failed"));
    assert.deepEqual(
      logged.map((line) => /"address":"203\.0\.113\.(\d)","where":"(\w+)"/.exec(line)?.slice(1)),
      [
        ["1", "api"],
        ["2", "api"],
        ["3", "metrics"],
        ["4", "console"],
        ["5", "console"],
      ],
    );
    assert.ok(!service.log.join("").includes(secret));
  });
});
