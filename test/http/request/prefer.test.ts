// The Prefer header (RFC 7240). Which X-Request-Id of a client is accepted, and what replaces one that is not.
// Authentication at every operation: without a promise for a caller in memory.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { prefers } from "../../../src/http/write/make-write.ts";
import { limits } from "../../../src/domain/limits.ts";
import { requestIdOf } from "../../../src/http/request/request-id.ts";
import { authenticate } from "../../../src/http/request/authenticate.ts";
import type { HttpContext } from "../../../src/http/http-context.ts";
import { makeRateGate, type RateGate } from "../../../src/http/rate-limit/rate-limit.ts";
import type { RequestContext } from "../../../src/http/reply/reply.ts";
import { makeCustomer } from "../../support/customer.ts";
import { type Service, startService } from "../../support/service.ts";

function preferring(prefer: string | string[] | undefined): FastifyRequest {
  return { headers: { prefer } } as unknown as FastifyRequest;
}

describe("a request prefers lenient handling", () => {
  for (const value of [
    "handling=lenient",
    "HANDLING=Lenient",
    'handling="lenient"',
    "handling = lenient",
    "respond-async, handling=lenient",
    "handling=lenient; why=tests, wait=10",
    ["respond-async", "handling=lenient"],
    "handling=lenient, handling=strict",
    'why="one, two", handling=lenient',
    String.raw`why="a \", b", handling=lenient`,
  ]) {
    it(`with ${JSON.stringify(value)}`, () =>
      assert.equal(prefers(preferring(value), "lenient"), true));
  }
});

describe("a request does not prefer lenient handling", () => {
  for (const value of [
    undefined,
    "",
    "handling",
    "handling=strict",
    "handling=lenientish",
    "xhandling=lenient",
    "lenient",
    "handling=strict, handling=lenient",
    "respond-async",
    'why="a, handling=lenient"',
    'why="a, handling=lenient',
    String.raw`why="a \", handling=lenient, b"`,
  ]) {
    it(`with ${JSON.stringify(value)}`, () =>
      assert.equal(prefers(preferring(value), "lenient"), false));
  }
});

describe("a request prefers single verdicts", () => {
  for (const [value, wanted] of [
    ["handling=lenient, verdicts=single", true],
    ['verdicts="Single";why=tests', true],
    ["handling=lenient", false],
    ["verdicts=list, verdicts=single", false],
    ["verdicts", false],
  ] as const) {
    it(`${wanted ? "with" : "but not with"} ${value}`, () => {
      assert.equal(prefers(preferring(value), "single"), wanted);
    });
  }
});

function idFor(sent: string | undefined): string {
  return requestIdOf({ headers: { "x-request-id": sent } } as unknown as IncomingMessage);
}

describe("the request id", () => {
  for (const sent of [
    "a",
    "7f3c-11",
    "trace:1/2+3=4@x.y_z",
    "x".repeat(limits.requestIdCharactersMax),
  ]) {
    it(`is the client's own where that is ${sent.slice(0, 24)}`, () =>
      assert.equal(idFor(sent), sent));
  }

  for (const sent of [
    undefined,
    "",
    "with space",
    "line\nbreak",
    'quote"',
    "ünï",
    "<b>",
    "x".repeat(limits.requestIdCharactersMax + 1),
  ]) {
    it(`is generated where the client's is ${JSON.stringify(sent)?.slice(0, 24)}`, () => {
      assert.match(idFor(sent), /^req_[0-9a-f]{12}[0-9a-z]+$/);
    });
  }

  it("is never the same twice when it is generated", () => {
    const ids = new Set(Array.from({ length: 1_000 }, () => idFor(undefined)));
    assert.equal(ids.size, 1_000);
  });
});

let service: Service;
let known: FastifyRequest;
const unknown = requestWith("Basic nothing");

before(async () => {
  service = await startService();
  const { token } = await makeCustomer(service.app, service.client);
  known = requestWith(`Bearer ${token}`);
  await enter(known, makeLimits());
});
after(() => service.stop());

function requestWith(authorization: string): FastifyRequest {
  return { headers: { authorization }, ip: "192.0.2.1" } as FastifyRequest;
}

function makeLimits(): RateGate {
  return makeRateGate(1, service.clock.now);
}

function enter(request: FastifyRequest, rates: RateGate): void | Promise<void> {
  const context = {
    app: service.app,
    rates,
    failures: { note: () => undefined },
    onRateLimited: () => undefined,
  } as unknown as HttpContext;
  const requestContext = {} as RequestContext;
  const entered = authenticate(context, request, { requestContext, scopes: ["person:read"] });
  if (!(entered instanceof Promise)) assert.notEqual(requestContext.rate, undefined);
  return entered;
}

describe("authentication", () => {
  it("accepts a known caller, and stops it at its limit, without a promise", () => {
    const rates = makeLimits();
    assert.equal(enter(known, rates), undefined);
    assert.equal(enter(known, rates), undefined);
    assert.throws(() => enter(known, rates), { errorName: "rate_limited" });
  });

  it("refuses what can't be a credential without a promise, and counts it", () => {
    const rates = makeLimits();
    for (let tried = 0; tried < 20; tried += 1) {
      assert.throws(() => enter(unknown, rates), { errorName: "credential_invalid" });
    }
    assert.throws(() => enter(unknown, rates), { errorName: "rate_limited" });
  });
});
