// Authentication at every operation: synchronous where possible, and asynchronous only for limits
// in Redis.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { FastifyRequest } from "fastify";
import { authenticate } from "../../../src/http/request/authenticate.ts";
import type { HttpContext } from "../../../src/http/http-context.ts";
import type { Limited, RateGate } from "../../../src/http/rate-limit/rate-limit.ts";
import type { RequestContext } from "../../../src/http/reply/reply.ts";
import { makeProcessGate } from "../../support/process-gate.ts";
import { makeCustomer } from "../../support/customer.ts";
import { type Service, startService } from "../../support/service.ts";

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

function makeLimits(): RateGate<Limited> {
  return makeProcessGate(1, service.clock.now);
}

/** Limits of the same kind that are answered later. */
function makeSharedLimits(): RateGate {
  const own = makeLimits();
  return {
    organization: async (caller) => own.organization(caller),
    work: async (caller, tokens) => own.work(caller, tokens),
    tokenIssuing: async (keyId) => own.tokenIssuing(keyId),
    failedAuthentication: async (address) => own.failedAuthentication(address),
    failuresLeft: async (address) => own.failuresLeft(address),
    signIn: async (address) => own.signIn(address),
    unauthenticated: (address) => own.unauthenticated(address),
  };
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

describe("authentication with limits of one process", () => {
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

describe("authentication with shared limits", () => {
  it("waits for them, and then does the same", async () => {
    const rates = makeSharedLimits();
    for (const _ of [1, 2]) {
      const entered = enter(known, rates);
      assert.ok(entered instanceof Promise);
      assert.equal(await entered, undefined);
    }
    await assert.rejects(async () => enter(known, rates), { errorName: "rate_limited" });
    for (let tried = 0; tried < 20; tried += 1) {
      await assert.rejects(async () => enter(unknown, rates), { errorName: "credential_invalid" });
    }
    await assert.rejects(async () => enter(unknown, rates), { errorName: "rate_limited" });
  });
});
