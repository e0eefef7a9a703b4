// Authentication at every operation: without a promise for a caller in memory.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { FastifyRequest } from "fastify";
import { authenticate } from "../../../src/http/request/authenticate.ts";
import type { HttpContext } from "../../../src/http/http-context.ts";
import { makeRateGate, type RateGate } from "../../../src/http/rate-limit/rate-limit.ts";
import type { RequestContext } from "../../../src/http/reply/reply.ts";
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
