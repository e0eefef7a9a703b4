// Organizations and API keys in the console: created, changed, rotated, revoked and closed; and a secret that is shown
// once.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { holdRecord } from "../../src/actions/retention/holds.ts";
import { addTransaction } from "../cli/write-transactions.ts";
import { addOperator, signIn } from "./browse.ts";
import { eachRole, signInPeople } from "./people.ts";

describe("organizations and keys in the console", () => {
  const site = signInPeople(eachRole(["viewer", "operator", "officer"]));
  const { cookies, show, send } = site;

  const find = () => site.service.app.store.findOrganization("acme");

  async function createKey(name: string): Promise<{ id: string; secret: string }> {
    const form = { name, scopes: "transactions:write", expires: "90d" };
    const { status, text, headers } = await send("operator", "organization/key/acme", form);
    assert.equal(status, 201);
    assert.equal(headers["cache-control"], "no-store");
    const secret = /<code>(sluice_key_\w+)<\/code>/.exec(text)?.[1] ?? "";
    const id = /href="\/console\/key\/(key_\w+)"/.exec(text)?.[1] ?? "";
    return { id, secret };
  }

  /** The status of the reply to a request for a token with this key. */
  async function useKey(secret: string): Promise<number> {
    const body = {
      expiry_seconds: 300,
      scopes: { organization_id: "acme", scopes: ["transactions:write"] },
    };
    const headers = { authorization: secret };
    return (await site.service.client.send({ method: "POST", path: "/auth/token", headers, body }))
      .status;
  }

  it("say what to do where there is none, and create one", async () => {
    assert.match((await show("operator", "organizations")).text, /no organization yet/);
    assert.equal((await send("operator", "organizations", { name: "", id: "acme" })).status, 400);
    const form = { name: "<b>Acme</b>", id: "acme", deletionApproval: "off" };
    const { status, headers } = await send("operator", "organizations", form);
    assert.deepEqual([status, headers.location], [303, "/console/organization/acme"]);
    assert.equal((await send("operator", "organizations", form)).status, 409);
    for (const path of ["organizations", "organization/acme"]) {
      const { text } = await show("viewer", path);
      assert.match(text, /&lt;b&gt;Acme&lt;\/b&gt;/);
      // A type may have a ceiling of its own, so none is promised to be kept.
      assert.match(text, /Ceiling of types without their own/);
    }
    assert.equal((await show("viewer", "organization/none")).status, 404);
  });

  it("are asked for by name, also by the beginning of one, and shown by name in the field", async () => {
    const { app } = site.service;
    await createOrganization(app, { name: "Nordlys Betalinger A/S", organizationId: "org_1" });
    await createOrganization(app, { name: "Nordic Funds", organizationId: "org_2" });
    for (const given of ["org_1", "nordlys", "Nordlys Betalinger A/S"]) {
      const query = new URLSearchParams({ organization: given }).toString();
      const { text } = await show("viewer", `holds?${query}`);
      assert.match(text, /value="Nordlys Betalinger A\/S"[^>]* list="organizations"/, given);
      assert.match(text, /<option value="Nordlys Betalinger A\/S">org_1</);
      const found = await show("viewer", `find?${query}&id=none`);
      assert.match(found.text, /no record with this id in <bdi>Nordlys/);
    }
    const { status, text } = await show("viewer", "find?organization=nord&id=none");
    assert.equal(status, 404);
    const both = "org_1 (Nordlys Betalinger A/S), org_2 (Nordic Funds)";
    assert.ok(text.includes(`&quot;nord&quot; can be any of these organizations: ${both}.`));
    for (const path of [
      "find?id=none&",
      "holds?",
      "deletions?",
      "deletions?sort=due&",
      "erasures?",
    ]) {
      const mistyped = await show("operator", `${path}organization=norge`);
      assert.equal(mistyped.status, 404, path);
      assert.match(mistyped.text, /There is no organization &quot;norge&quot;/);
    }
    const download = await send("operator", "erasures/download", { organization: "norge" });
    assert.equal(download.status, 404);
    const form = { organization: "nordlys", back: "/console/holds" };
    const { headers } = await send("viewer", "organizations/choice", form);
    assert.match(String(headers["set-cookie"]), /organization=org_1;/);
  });

  it("are offered by id where the name could mean another one", async () => {
    const { app } = site.service;
    await createOrganization(app, { name: "Twin", organizationId: "twin_1" });
    await createOrganization(app, { name: "TWIN", organizationId: "twin_2" });
    await createOrganization(app, { name: "twin_1", organizationId: "twin_3" });
    for (const id of ["twin_1", "twin_2", "twin_3"]) {
      const { text } = await show("viewer", `holds?organization=${id}`);
      assert.ok(text.includes(`<option value="${id}">${id}<`), id);
      assert.match(text, new RegExp(`value="${id}"[^>]* list="organizations"`));
    }
    assert.equal((await show("viewer", "holds?organization=twin")).status, 404);
  });

  it("have recipients of changes, which operators register and remove", async () => {
    const path = "organization/recipient/acme";
    const form = { name: "warehouse", types: "person" };
    assert.equal((await send("operator", path, form)).status, 303);
    assert.equal((await send("operator", path, { name: "a/b" })).status, 400);
    const { text } = await show("viewer", "organization/acme");
    assert.match(text, /warehouse[^]*Person/);
    assert.doesNotMatch(text, />Acknowledged<|>State</);
    const remove = "organization/recipient/remove/acme";
    assert.equal((await send("operator", remove, { name: "none" })).status, 404);
    assert.equal((await send("operator", remove, form)).status, 303);
    assert.match((await show("viewer", "organization/acme")).text, /No program has registered/);
  });

  it("have settings, and refuse what is not valid with what was expected", async () => {
    // The form has no field for the ceiling, so this is ignored.
    const form = {
      name: "Acme",
      deletionGrace: "24h",
      rateLimit: "200",
      strictScopes: "on",
      retainDays: "1",
    };
    assert.equal((await send("operator", "organization/acme", form)).status, 303);
    const { deletionGraceSeconds, rateLimitPerSecond, strictScopes } = (await find()) ?? {};
    assert.deepEqual([deletionGraceSeconds, rateLimitPerSecond, strictScopes], [86_400, 200, true]);
    for (const [wrong, message] of [
      [
        { deletionGrace: "soon" },
        /Grace period of deletions: it must be a whole number with a unit/,
      ],
      [{ rateLimit: "-1" }, /Requests a second: it must be a whole number from 0 .no limit. to/],
      [{ strictScopes: "maybe" }, /Strict scopes: it must be .*on.* or .*off/],
    ] as const) {
      const { status, text } = await send("operator", "organization/acme", { ...form, ...wrong });
      assert.equal(status, 400);
      assert.match(text, message);
    }
    await send("operator", "organization/acme", { ...form, deletionGrace: "0s", rateLimit: "" });
    assert.equal((await find())?.rateLimitPerSecond, undefined);
  });

  it("require approvals only where an officer says so", async () => {
    const path = "organization/approval/acme";
    assert.equal((await send("officer", path, { deletionApproval: "on" })).status, 303);
    assert.equal((await find())?.deletionApproval, true);
    assert.match((await show("viewer", "organization/acme")).text, /by a second person/);
  });

  it("show the secret of a key once, and when it was last used", async () => {
    const nameless = { name: " ", scopes: "transactions:write" };
    const refused = await send("operator", "organization/key/acme", nameless);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /Name: it must be text that is not empty/);
    const { id, secret } = await createKey("nightly");
    const none = await show("viewer", `key/${id}`);
    assert.match(none.text, /Last used for a token<\/dt>\s*<dd><span>–<\/span>/);
    assert.equal(await useKey(secret), 200);
    for (const path of [`key/${id}`, "organization/acme", "organizations"]) {
      const { text } = await show("operator", path);
      assert.ok(!text.includes(secret), path);
    }
    assert.match(
      (await show("viewer", `key/${id}`)).text,
      /Last used for a token<\/dt>\s*<dd><time/,
    );
    const wrong = { name: "x", scopes: "everything" };
    assert.equal((await send("operator", "organization/key/acme", wrong)).status, 400);
    assert.equal((await send("operator", "organization/key/acme", { name: "x" })).status, 400);
    assert.equal((await show("viewer", "key/key_none")).status, 404);
  });

  it("give nobody a key that reads more of the feed than this person may", async () => {
    const form = { name: "mine", scopes: "customer_sar:read,changes:read" };
    const { status, text } = await send("operator", "organization/key/acme", form);
    assert.equal(status, 403);
    assert.match(text, /learn of records of the type customer_sar\. \w+ may not/);
    assert.doesNotMatch(text, /sluice_key_/);
  });

  it("rotate a key with an overlap, and revoke one at once", async () => {
    const old = await createKey("daily");
    assert.equal((await send("operator", `key/rotate/${old.id}`, { overlap: "?" })).status, 400);
    const { status, text } = await send("operator", `key/rotate/${old.id}`, { overlap: "1h" });
    assert.equal(status, 201);
    const secret = /<code>(sluice_key_\w+)<\/code>/.exec(text)?.[1] ?? "";
    assert.deepEqual([await useKey(old.secret), await useKey(secret)], [200, 200]);
    site.service.clock.advanceMs(3_600_001);
    assert.deepEqual([await useKey(old.secret), await useKey(secret)], [401, 200]);
    const id = /href="\/console\/key\/(key_\w+)"/.exec(text)?.[1] ?? "";
    assert.equal((await send("operator", `key/revoke/${id}`, { confirm: id })).status, 303);
    assert.equal(await useKey(secret), 401);
    assert.equal((await send("operator", `key/rotate/${id}`, { overlap: "1h" })).status, 409);
  });

  it("close one for good, once its id is typed and another officer has approved it", async () => {
    const path = "organization/close/acme";
    assert.match(
      (await show("officer", "organization/acme")).text,
      /everything that\sit has stored/,
    );
    await addTransaction(site.service.app, "acme", { tx_id: "held" });
    const held = { organizationId: "acme", resourceType: "transaction", resourceId: "held" };
    await holdRecord(site.service.app, held, { reason: "r" });
    const { headers } = await send("officer", path, { confirm: "acme", reason: "ended" });
    const proposal = String(headers.location).slice("/console/".length);
    assert.equal((await find())?.closedAt, undefined);
    await addOperator(site.service.app, ["officer"], "carla");
    cookies["carla"] = await signIn(site.service.app, site.service.client, "carla");
    const confirm = proposal.slice("proposal/".length);
    assert.equal((await send("carla", proposal, { confirm })).status, 303);
    const { text } = await show("officer", "organization/acme");
    assert.match(text, /Closed<\/dt>\s*<dd><time/);
    // It follows what is left, for those who may know of that.
    assert.match(text, /http-equiv="refresh"[^]*Transaction 1/);
    assert.doesNotMatch((await show("viewer", "organization/acme")).text, /http-equiv="refresh"/);
    assert.doesNotMatch(text, /Close the organization|Create a key|>Save</);
    const id = /href="\/console\/deletion\/(del_\w+)"/.exec(text)?.[1] ?? "";
    const record = /<dt>Record<\/dt>\s*<dd>Organization <bdi>[^<]+<\/bdi> <small class="id">acme</;
    assert.match((await show("officer", `deletion/${id}`)).text, record);
    const deletion = await site.service.app.store.findDeletion(id, undefined);
    const { requester, approvedBy } = deletion?.approval ?? {};
    assert.deepEqual([requester, approvedBy], ["officer", "carla"]);
    assert.equal((await send("officer", path, { confirm: "acme" })).status, 409);
  });
});
