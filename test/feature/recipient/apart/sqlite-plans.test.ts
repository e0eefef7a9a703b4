// What the statements of recipients read on SQLite.

import assert from "node:assert/strict";
import { it } from "node:test";
import { recipients } from "../../../../src/feature/recipient/store/part.ts";
import { acme, operator, organization } from "../../../conformance/scene.ts";
import { makePlace, watchPlans } from "../../../store/sqlite/place.ts";

it("finds the oldest notice of a recipient without reading notices of other types", async (test) => {
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  await store.createOrganization(organization(acme), operator);
  const plansOf = watchPlans(test, place);
  await store.of(recipients).listWaiting({ after: undefined, limit: 9 }, []);
  await store.of(recipients).purgeNotices({ before: 0, after: "" }, operator);
  const searches = plansOf(/\berasure_notice AS oldest\b|\bmin\(organization_id\)/).filter((step) =>
    /^SEARCH (?:oldest|erasure_notice|deletion_)/.test(step),
  );
  assert.deepEqual(searches, [
    "SEARCH oldest USING COVERING INDEX erasure_notice_by_type (organization_id=? AND resource_type=? AND notice_no>?)",
    "SEARCH erasure_notice USING COVERING INDEX sqlite_autoindex_erasure_notice_1 (organization_id>?)",
    "SEARCH deletion_recipient USING INDEX deletion_recipient_waiting (organization_id>?)",
  ]);
});
