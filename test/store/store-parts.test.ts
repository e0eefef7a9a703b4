// A store has what features have in it only if it is opened with that: nothing of a feature is in the core.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openStore } from "../../src/store/open-store.ts";
import { StoreParts } from "../../src/store/sql/store-parts.ts";
import { storeParts } from "../../src/feature/parts.ts";
import { acme, keyOf, operator, organization, transaction } from "../conformance/scene.ts";
import { withActs } from "../support/test-store.ts";
import { makePlace } from "./sqlite/place.ts";

it("erases records, and closes and erases an organization, without tables of features", async (test) => {
  const place = makePlace(test);
  const parts = new StoreParts([]);
  const url = `sqlite:${place.path}`;
  const store = withActs(await openStore(url, { role: "command", parts }));
  test.after(() => store.close());
  await store.createOrganization(organization(acme), operator);
  await store.write([transaction("one"), transaction("two")]);
  await store.request(keyOf("transaction", "one"));
  assert.equal((await store.processAll()).length, 1);
  const { settled: through } = await store.settledArrival();
  const range = { organizationId: acme, after: 0, through, types: ["transaction"] };
  assert.equal((await store.arrivals.list({ ...range, content: false, limit: 9 })).length, 1);
  await store.closeAll("del_all");
  const [erased] = await store.processAll();
  assert.equal(erased?.status, "completed");
  await store.requireConsistent();
  const tables = place.withDatabase((file) =>
    file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all(),
  );
  const added = new Set(storeParts.list.flatMap((part) => part.tables));
  assert.deepEqual(
    tables.filter(({ name }) => added.has(String(name))),
    [],
  );
});
