// The requests and streams that an organization has in progress. Which bodies the main thread reads itself. The delay
// of 429 replies: none at first, then longer the more of them an organization or an address causes.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../../src/domain/error.ts";
import { limits } from "../../../src/domain/limits.ts";
import { OrganizationLoad } from "../../../src/http/load/load.ts";
import { MemoryBudget } from "../../../src/http/load/memory-budget.ts";
import { mayReadOnMain } from "../../../src/http/write/write-large.ts";
import {
  makeRefusalDelays,
  refusalDelayMsMax,
  refusalPolicy,
} from "../../../src/http/load/load.ts";

const isRefused = (error: unknown): boolean =>
  error instanceof AppError && error.errorName === "rate_limited";

describe("the load of an organization", () => {
  it("has at most so many requests, and room again when one has ended", () => {
    const load = new OrganizationLoad();
    for (let count = 0; count < limits.organizationRequestsMax; count += 1) load.beginRequest("a");
    assert.throws(() => load.beginRequest("a"), isRefused);
    load.beginRequest("b");
    load.endRequest("a");
    load.beginRequest("a");
  });

  it("has at most so many streams, whatever others have", () => {
    const load = new OrganizationLoad();
    for (const name of ["a", "b"]) load.beginRequest(name);
    for (let count = 0; count < limits.organizationStreamsMax; count += 1) load.beginStream("a");
    assert.throws(() => load.beginStream("a"), isRefused);
    load.beginStream("b");
    load.endStream("a");
    load.beginStream("a");
  });

  it("is that of the only one while no other has a request", () => {
    const load = new OrganizationLoad();
    load.beginRequest("a");
    assert.equal(load.isOnly("a"), true);
    load.beginRequest("b");
    assert.equal(load.isOnly("a"), false);
    load.endRequest("b");
    assert.equal(load.isOnly("a"), true);
  });
});

const acme = "org-acme";
const connected = new AbortController().signal;

function makeLoad() {
  const load = { bodies: new MemoryBudget(), organizations: new OrganizationLoad() };
  load.organizations.beginRequest(acme);
  return load;
}

describe("a body may be read on the main thread", () => {
  it("if its length is known and moderate", () => {
    const load = makeLoad();
    assert.equal(mayReadOnMain(load, acme, 64 * 1_024), true);
    assert.equal(mayReadOnMain(load, acme, 64 * 1_024 + 1), false);
    assert.equal(mayReadOnMain(load, acme, undefined), false);
  });

  it("while no other organization has a request in progress", () => {
    const load = makeLoad();
    load.organizations.beginRequest("org-other");
    assert.equal(mayReadOnMain(load, acme, 20_000), false);
    load.organizations.endRequest("org-other");
    assert.equal(mayReadOnMain(load, acme, 20_000), true);
  });

  it("while few bytes of bodies are in memory", () => {
    const load = makeLoad();
    const reservation = load.bodies.reserve(acme, 4 * 1_024 * 1_024, connected);
    assert.ok(!(reservation instanceof Promise));
    assert.equal(mayReadOnMain(load, acme, 20_000), false);
    reservation.release();
    assert.equal(mayReadOnMain(load, acme, 20_000), true);
  });
});

const { burst, perSecond } = refusalPolicy;

function makePace() {
  const clock = { ms: 5_000 };
  const refusalDelayMs = makeRefusalDelays(() => clock.ms);
  const delays = (owner: string, count: number) =>
    Array.from({ length: count }, () => refusalDelayMs(owner));
  return { clock, delays };
}

describe("the delays of refusals", () => {
  it("does not delay the first ones", () => {
    const { delays } = makePace();
    assert.deepEqual(new Set(delays("a", burst)), new Set([0]));
  });

  it("spreads out those that follow, up to the maximum delay", () => {
    const { delays } = makePace();
    delays("a", burst);
    const spacingMs = 1_000 / perSecond;
    assert.deepEqual(delays("a", 3), [spacingMs, 2 * spacingMs, 3 * spacingMs]);
    assert.equal(delays("a", 10_000).at(-1), refusalDelayMsMax);
  });

  it("is separate for each owner", () => {
    const { delays } = makePace();
    delays("a", 1_000);
    assert.deepEqual(delays("b", 1), [0]);
  });

  it("has no delay again after as long as its last delay and its burst take", () => {
    const { clock, delays } = makePace();
    delays("a", 10_000);
    clock.ms += refusalDelayMsMax + (burst * 1_000) / perSecond;
    assert.deepEqual(new Set(delays("a", burst)), new Set([0]));
  });
});
