// The rules of endpoints of webhooks: their states, and when a failed delivery is tried again.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  retryWaitMs,
  type WebhookEndpoint,
  webhookGivesUpMs,
  webhookState,
} from "../../../src/feature/webhook/webhook.ts";

describe("the wait before the next attempt", () => {
  it("grows from seconds to half a day, with jitter", () => {
    const waits = Array.from({ length: 12 }, (_, index) => retryWaitMs(index + 1, 0.5));
    assert.equal(waits[0], 5_000);
    assert.equal(waits.at(-1), 12 * 3_600_000);
    assert.deepEqual(
      waits,
      waits.toSorted((one, other) => one - other),
    );
    assert.equal(retryWaitMs(1, 0), 4_000);
    assert.equal(retryWaitMs(1, 1), 6_000);
  });

  it("makes about fifteen attempts before an endpoint is disabled", () => {
    let attempts = 1;
    for (let waited = 0; waited < webhookGivesUpMs; attempts += 1)
      waited += retryWaitMs(attempts, 0.5);
    assert.ok(attempts >= 10 && attempts <= 20, String(attempts));
  });

  it("is longer if the endpoint asks for it, within a bound", () => {
    assert.equal(retryWaitMs(1, 0.5, 60_000), 60_000);
    assert.equal(retryWaitMs(1, 0.5, 1_000), 5_000);
    assert.equal(retryWaitMs(1, 0.5, Infinity), 12 * 3_600_000);
  });
});

describe("the state of an endpoint", () => {
  it("says first whether it is disabled, then whether its secret is still valid", () => {
    const good = { failures: 0, keyCheck: 5, disabledAt: undefined };
    const stateOf = (fields: object) =>
      webhookState({ ...good, ...fields } as unknown as WebhookEndpoint, 5);
    assert.equal(stateOf({}), "enabled");
    assert.equal(stateOf({ failures: 1 }), "failing");
    assert.equal(stateOf({ failures: 1, keyCheck: 6 }), "key_changed");
    assert.equal(stateOf({ keyCheck: 6, disabledAt: 1 }), "disabled");
    assert.equal(webhookState({ ...good, keyCheck: 6 } as unknown as WebhookEndpoint), "enabled");
  });
});
