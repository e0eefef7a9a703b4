// What the statements that erase hashes read on SQLite.

import assert from "node:assert/strict";
import { it } from "node:test";
import { acme, operator, organization } from "../../../conformance/scene.ts";
import { makePlace, watchPlans } from "../../../store/sqlite/place.ts";

it("finds the hashes of a person by the record, and not among all of its organization", async (test) => {
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  await store.createOrganization(organization(acme), operator);
  await store.add("person", "p");
  const plansOf = watchPlans(test, place);
  await store.erase("person", "p");
  const searches = plansOf(/\b(?:FROM|JOIN) search_token\b/).filter((step) =>
    /^(?:SCAN|SEARCH) search_token\b/.test(step),
  );
  assert.equal(searches.length, 2);
  for (const step of searches) {
    assert.match(
      step,
      /search_token_by_record \(organization_id=\? AND resource_type=\? AND resource_id=\?\)/,
    );
  }
});
