// Organizations as operators create, change and find them, on a real store.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { changeOrganization } from "../../../src/actions/access/change-organization.ts";
import { createKey } from "../../../src/actions/access/keys.ts";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import {
  findOrganization,
  listOrganizations,
} from "../../../src/actions/access/find-organization.ts";
import { issueToken } from "../../../src/actions/access/issue-token.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const clock = makeFakeClock();
const folder = makeTempFolder();

const app = await openApp(readConfig(testEnvironment(folder)), { role: "command", now: clock.now });
after(() => app.close());

describe("an organization", () => {
  it("is created with defaults, and found by its id", async () => {
    const created = await createOrganization(app, { name: "Acme", organizationId: "acme" });
    assert.deepEqual(created, {
      organizationId: "acme",
      name: "Acme",
      strictScopes: false,
      deletionGraceSeconds: 0,
      rateLimitPerSecond: undefined,
      createdAt: clock.now(),
    });
    assert.deepEqual(await findOrganization(app, "acme"), created);
    assert.deepEqual(await listOrganizations(app), [created]);
  });

  for (const name of ["", "  ", "a\nb", "a\u009f", "\ud800", "a".repeat(201)]) {
    it(`is neither created nor changed with the name ${JSON.stringify(name).slice(0, 20)}`, async () => {
      const invalid = { errorName: "invalid" };
      await assert.rejects(createOrganization(app, { name }), invalid);
      await assert.rejects(changeOrganization(app, "acme", { name }), invalid);
    });
  }

  it("is changed only by a change that contains something valid", async () => {
    for (const change of [{}, { retainDays: 0 }, { retainDays: 1.5 }, { retainDays: 36_501 }]) {
      await assert.rejects(changeOrganization(app, "acme", change), { errorName: "invalid" });
    }
    assert.equal(
      (await changeOrganization(app, "acme", { retainDays: 36_500 })).retainDays,
      36_500,
    );
    const unlimited = await changeOrganization(app, "acme", { retainDays: null });
    assert.equal(unlimited.retainDays, undefined);
  });
});

describe("an API key", () => {
  it("issues no token when less than a second is left", async () => {
    const { key } = await createKey(app, { organizationId: "acme", lifetimeMs: 1_500 });
    const organization = await findOrganization(app, "acme");
    const wanted = { expiry_seconds: 300, scopes: { organization_id: "acme", scopes: [] } };
    const second = Math.ceil(clock.now() / 1_000) * 1_000;
    clock.advanceMs(second - clock.now());
    const ending = (ms: number) => ({ ...key, expiresAt: clock.now() + ms });
    const issue = (ms: number) => issueToken(app, { key: ending(ms), organization }, wanted);
    await assert.rejects(issue(999), { errorName: "credential_expired" });
    assert.equal((await issue(1_000)).expiry * 1_000, clock.now() + 1_000);
  });

  it("needs a scope and a lifetime", async () => {
    for (const options of [{ scopes: [] }, { lifetimeMs: 0 }, { lifetimeMs: -1 }]) {
      await assert.rejects(createKey(app, { organizationId: "acme", ...options }), {
        errorName: "invalid",
      });
    }
  });
});
