// The three limits and their header fields (draft-ietf-httpapi-ratelimit-headers). Failed authentications in the log:
// with the address, at a bounded rate, and without what was sent. Whose limits an address counts against.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pino } from "pino";
import { makeRateGate, rateLimited } from "../../../src/http/rate-limit/rate-limit.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { makeFailureLog } from "../../../src/http/rate-limit/failure-log.ts";
import { read, submit } from "../../console/browse.ts";
import { startService } from "../../support/service.ts";
import { addressOwner, networksOf } from "../../../src/http/rate-limit/address-owner.ts";

describe("the limit of an organization", () => {
  it("allows twice the rate in a burst, and then the rate", () => {
    const clock = makeFakeClock();
    const rates = makeRateGate(10, clock.now);
    const take = () =>
      rates.organization({ organizationId: "one", rateLimitPerSecond: undefined }).allowed;
    assert.equal(Array.from({ length: 25 }, take).filter(Boolean).length, 20);
    clock.advanceMs(1_000);
    assert.equal(Array.from({ length: 25 }, take).filter(Boolean).length, 10);
  });

  it("is none where the organization's is 0, and nothing is told then", () => {
    const rates = makeRateGate(1, makeFakeClock().now);
    for (let index = 0; index < 10; index += 1) {
      const limited = rates.organization({ organizationId: "one", rateLimitPerSecond: 0 });
      assert.deepEqual(limited, {
        limit: "",
        allowed: true,
        headers: undefined,
        retryAfterSeconds: 0,
      });
    }
  });
});

/** How many of these are allowed, for addresses in a /64 each. */
function countAllowed(
  take: (address: string) => { readonly allowed: boolean },
  { hosts, times, network }: { hosts: number; times: number; network: (no: number) => string },
): number {
  let allowed = 0;
  for (let no = 0; no < hosts; no += 1) {
    for (let time = 0; time < times; time += 1) if (take(network(no)).allowed) allowed += 1;
  }
  return allowed;
}
const in56 = (no: number) => `2001:db8:1:${no.toString(16)}::1`;
const in48 = (no: number) => `2001:db8:1:${(no * 256).toString(16)}::1`;

describe("the limits of addresses", () => {
  for (const [name, own] of [
    ["failedAuthentication", 20],
    ["signIn", 20],
    ["unauthenticated", 200],
  ] as const) {
    it(`bound the /56 and the /48 of many hosts too: ${name}`, () => {
      const rates = makeRateGate(10, makeFakeClock().now);
      const take = (address: string) => rates[name](address);
      const hosts = { hosts: 200, times: own / 10 };
      assert.equal(countAllowed(take, { ...hosts, network: in56 }), own * 4);
      assert.equal(countAllowed(take, { ...hosts, network: in48 }), own * 12);
      assert.equal(take("2001:db8:2::1").allowed, true);
    });
  }

  it("leave neighbours what a host sends beyond its own limit", () => {
    const rates = makeRateGate(10, makeFakeClock().now);
    for (let time = 0; time < 1_000; time += 1) rates.signIn(in56(0));
    assert.equal(
      countAllowed((address) => rates.signIn(address), {
        hosts: 3,
        times: 20,
        network: (no) => in56(no + 1),
      }),
      60,
    );
  });

  it("take nothing from a host that its network refuses, so that it waits no longer than it was told", () => {
    const clock = makeFakeClock();
    const rates = makeRateGate(10, clock.now);
    const host = in56(0);
    for (let time = 0; time < 19; time += 1) rates.signIn(host);
    countAllowed((address) => rates.signIn(address), {
      hosts: 4,
      times: 20,
      network: (no) => in56(no + 1),
    });
    const { allowed, retryAfterSeconds } = rates.signIn(host);
    assert.equal(allowed, false);
    clock.advanceMs(retryAfterSeconds * 1_000);
    assert.equal(rates.signIn(host).allowed, true);
  });

  it("count attempts to sign in and failed authentications apart", () => {
    const rates = makeRateGate(10, makeFakeClock().now);
    for (let time = 0; time < 21; time += 1) rates.failedAuthentication("192.0.2.1");
    assert.equal(rates.signIn("192.0.2.1").headers?.rateLimit, '"sign-in";r=19;t=3');
    for (let time = 0; time < 21; time += 1) rates.signIn("192.0.2.2");
    assert.equal(
      rates.failuresLeft("192.0.2.2").headers?.rateLimit,
      '"failed-authentication";r=20;t=0',
    );
  });
});

describe("a rate of 0", () => {
  it("turns every limit off", () => {
    const rates = makeRateGate(0, makeFakeClock().now);
    for (let index = 0; index < 100; index += 1) {
      assert.equal(
        rates.organization({ organizationId: "one", rateLimitPerSecond: 1 }).allowed,
        true,
      );
      assert.equal(rates.tokenIssuing("key").allowed, true);
      assert.equal(rates.failedAuthentication("192.0.2.1").headers, undefined);
    }
  });
});

describe("the error of a limited request", () => {
  it("says when to try again, in words and as a number", () => {
    const refusal = { allowed: false, headers: undefined, retryAfterSeconds: 3 };
    const error = rateLimited(refusal);
    assert.equal(error.code, 42901);
    assert.equal(error.retryAfterSeconds, 3);
    assert.equal(error.message, "Too many requests; try again in 3 seconds.");
    assert.match(rateLimited({ ...refusal, retryAfterSeconds: 1 }).message, / 1 second\.$/);
  });
});

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

describe("the owner of an address", () => {
  for (const [address, owner] of [
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::FFFF:c000:207", "192.0.2.7"],
    ["0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:0:0:ffff:ffff:ffff:ffff", "2001:db8:0:0::/64"],
    ["2001:0DB8:0000:1::", "2001:db8:0:1::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:3:4:192.0.2.7", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
    ["unknown", "unknown"],
    ["", ""],
  ] as const) {
    it(`is ${owner || "nothing"} for ${address || "nothing"}`, () => {
      assert.equal(addressOwner(address), owner);
    });
  }

  it("is followed by the wider networks, which an IPv4 address does not have", () => {
    assert.deepEqual(networksOf("2001:db8:12:34ff:5::6"), [
      "2001:db8:12:34ff::/64",
      "2001:db8:12:3400::/56",
      "2001:db8:12:0::/48",
    ]);
    assert.deepEqual(networksOf("2001:db8:12:3400::"), networksOf("2001:db8:12:3400::1"));
    assert.deepEqual(networksOf("::ffff:192.0.2.7"), ["192.0.2.7"]);
    assert.deepEqual(networksOf("stray"), ["stray"]);
  });

  it("is cut where a proxy passed on a long value", () => {
    assert.equal(addressOwner("x".repeat(10_000)).length, 64);
  });
});
