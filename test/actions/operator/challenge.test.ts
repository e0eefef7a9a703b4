// Challenges: signed, bound to their use, short-lived, and used once.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import {
  isChallenge,
  makeChallenge,
  useChallenge,
} from "../../../src/actions/operator/challenge.ts";
import { createOperator } from "../../../src/actions/operator/operators.ts";
import { startService } from "../../support/service.ts";

const lifetimeMs = 60_000;
const use = { purpose: "passkey_new", boundTo: "op_anna" } as const;

describe("a challenge", async () => {
  const service = await startService();
  const operator = await createOperator(service.app, { name: "anna", roles: ["viewer"] });
  after(() => service.stop());

  it("is valid for its purpose, for whom it is for, and until it expires", async () => {
    const { app, clock } = service;
    const challenge = await makeChallenge(app, use, lifetimeMs);
    assert.equal(await isChallenge(app, use, challenge), true);
    assert.equal(await isChallenge(app, { ...use, purpose: "passkey_use" }, challenge), false);
    assert.equal(await isChallenge(app, { ...use, boundTo: "op_ben" }, challenge), false);
    assert.equal(await isChallenge(app, { purpose: "passkey_new" }, challenge), false);
    clock.advanceMs(lifetimeMs - 1);
    assert.equal(await isChallenge(app, use, challenge), true);
    clock.advanceMs(1);
    assert.equal(await isChallenge(app, use, challenge), false);
  });

  it("is invalid with any character changed, in another spelling, and as anything else", async () => {
    const { app } = service;
    const challenge = await makeChallenge(app, use, lifetimeMs);
    for (let index = 0; index < challenge.length; index += 1) {
      const other = challenge[index] === "A" ? "B" : "A";
      const changed = challenge.slice(0, index) + other + challenge.slice(index + 1);
      assert.equal(await isChallenge(app, use, changed), false, changed);
    }
    for (const text of ["", "x", `${challenge}=`, ` ${challenge}`, challenge + challenge]) {
      assert.equal(await isChallenge(app, use, text), false, text);
    }
  });

  it("is used once, also when two requests use it at the same moment", async () => {
    const { app } = service;
    const challenge = await makeChallenge(app, use, lifetimeMs);
    const by = { ...use, operator };
    const used = await Promise.all([1, 2].map(() => useChallenge(app, challenge, by)));
    assert.deepEqual(new Set(used), new Set([false, true]));
    assert.equal(await useChallenge(app, challenge, by), false);
  });
});
