// What the statements that erase hashes read on SQLite.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { acme, operator, organization } from "../../../conformance/scene.ts";
import { makePlace } from "../../../store/sqlite/place.ts";

it("finds the hashes of a person by the record, and not among all of its organization", async (test) => {
  const prepare = test.mock.method(DatabaseSync.prototype, "prepare");
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  await store.createOrganization(organization(acme), operator);
  await store.add("person", "p");
  prepare.mock.resetCalls();
  await store.erase("person", "p");
  const statements = prepare.mock.calls.map((call) => call.arguments[0]);
  const plans = place.withDatabase((file) =>
    statements
      .filter((text) => /\b(?:FROM|JOIN) search_token\b/.test(text))
      .flatMap((text) => file.prepare(`EXPLAIN QUERY PLAN ${text}`).all())
      .map(({ detail }) => String(detail)),
  );
  const searches = plans.filter((step) => /^(?:SCAN|SEARCH) search_token\b/.test(step));
  assert.equal(searches.length, 2);
  for (const step of searches) {
    assert.match(
      step,
      /search_token_by_record \(organization_id=\? AND resource_type=\? AND resource_id=\?\)/,
    );
  }
});
