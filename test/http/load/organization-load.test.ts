// The requests and streams that an organization has in progress.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../../src/domain/error.ts";
import { limits } from "../../../src/domain/limits.ts";
import { OrganizationLoad } from "../../../src/http/load/organization-load.ts";

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
