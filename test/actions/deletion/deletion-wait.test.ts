// What a pending deletion waits for, in words: where the clock was set back, this is not a grace period.

import assert from "node:assert/strict";
import { it } from "node:test";
import { withWaits } from "../../../src/actions/deletion/deletion-wait.ts";
import { requestDeletionOf } from "../../../src/actions/deletion/request-as-operator.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { acme, keyOf, operator, organization } from "../../conformance/scene.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { withActs } from "../../support/test-store.ts";

it("a deletion that was requested after the clock was set back waits for the clock", async () => {
  const now = Date.UTC(2026, 2, 1);
  const config = readConfig(testEnvironment(makeTempFolder()));
  await using app = await openApp(config, { role: "command", now: () => now });
  const store = withActs(app.store);
  await store.createOrganization(organization(acme), operator);
  await store.add("transaction", "t");
  app.knownTime.at = now + 3_600_000;
  const deletion = await requestDeletionOf(app, {
    ...keyOf("transaction", "t"),
    reason: "requested",
  });
  const shown = await withWaits(app, [deletion]);
  assert.deepEqual(
    shown.map(({ waitsFor, kind }) => [waitsFor, kind]),
    [["the clock, which was set back, until 2026-03-01T01:00:00.000Z", "turn"]],
  );
});
