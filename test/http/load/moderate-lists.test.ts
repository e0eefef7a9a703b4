// Which bodies the main thread reads itself.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MemoryBudget } from "../../../src/http/load/memory-budget.ts";
import { mayReadOnMain } from "../../../src/http/load/moderate-lists.ts";
import { OrganizationLoad } from "../../../src/http/load/organization-load.ts";

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
