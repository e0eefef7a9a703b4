// What the statements of recipients read on SQLite.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { recipients } from "../../../../src/feature/recipient/store/part.ts";
import { acme, operator, organization } from "../../../conformance/scene.ts";
import { makePlace } from "../../../store/sqlite/place.ts";

it("finds the oldest notice of a recipient without reading notices of other types", async (test) => {
  const prepare = test.mock.method(DatabaseSync.prototype, "prepare");
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  await store.createOrganization(organization(acme), operator);
  prepare.mock.resetCalls();
  await store.of(recipients).listWaiting({ after: undefined, limit: 9 }, []);
  await store.of(recipients).purgeNotices({ before: 0, after: "" }, operator);
  const statements = prepare.mock.calls.map((call) => call.arguments[0]);
  const plans = place.withDatabase((file) =>
    statements
      .filter((text) => /\berasure_notice AS oldest\b|\bmin\(organization_id\)/.test(text))
      .flatMap((text) => file.prepare(`EXPLAIN QUERY PLAN ${text}`).all())
      .map(({ detail }) => String(detail)),
  );
  const searches = plans.filter((step) => /^SEARCH (?:oldest|erasure_notice|deletion_)/.test(step));
  assert.deepEqual(searches, [
    "SEARCH oldest USING COVERING INDEX erasure_notice_by_type (organization_id=? AND resource_type=? AND notice_no>?)",
    "SEARCH erasure_notice USING COVERING INDEX sqlite_autoindex_erasure_notice_1 (organization_id>?)",
    "SEARCH deletion_recipient USING INDEX deletion_recipient_waiting (organization_id>?)",
  ]);
});
