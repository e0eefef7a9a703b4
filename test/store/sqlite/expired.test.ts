// The work of the scan for expired records: what it reads of one record must not grow with the records of the
// organization.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { boundsOf } from "../../../src/domain/retention/ceiling.ts";
import { findExpired } from "../../../src/store/sql/expiry/expired.ts";
import { openReader } from "../../../src/store/sqlite/connection.ts";
import { acme, operator, organization, transaction } from "../../conformance/scene.ts";
import { makePlace } from "./place.ts";

const now = Date.UTC(2027, 0, 1);

it("finds records and relations by their whole keys when it decides what has expired", async (test) => {
  const prepare = test.mock.method(DatabaseSync.prototype, "prepare");
  const place = makePlace(test);
  const store = await place.open();
  await store.createOrganization(organization(acme), operator);
  await store.write(transaction("t"));
  await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
  const bounds = boundsOf(recordTypes, [], 1);
  prepare.mock.resetCalls();
  const query = { organizationId: acme, ...bounds, after: undefined, scannedMax: 10, now };
  using reader = openReader(place.path);
  const { expired } = reader.perform(findExpired, query);
  assert.deepEqual(
    expired.map(({ expiry }) => expiry),
    ["due", "due"],
  );
  const statements = prepare.mock.calls.map((call) => call.arguments[0]);
  const joining = statements.filter((text) => /JOIN (?:record|relation)\b/.test(text));
  const plans = place.withDatabase((file) =>
    joining.flatMap((text) =>
      file
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all()
        .map(({ detail }) => String(detail)),
    ),
  );
  const searches = plans.filter((step) => /^(?:SCAN|SEARCH) (?:record|relation)\b/.test(step));
  assert.deepEqual(
    new Set(searches),
    new Set([
      "SEARCH relation USING COVERING INDEX relation_by_target (organization_id=? AND to_type=? AND to_id=?)",
      "SEARCH record USING PRIMARY KEY (organization_id=? AND resource_type=? AND resource_id=?)",
    ]),
  );
});
