// Endpoints of webhooks in the console: added, tested, enabled and removed, within the rights of each role; and a
// secret that is shown once.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { webhooks } from "../../../src/feature/webhook/store/part.ts";
import { eachRole, signInPeople } from "../../console/people.ts";

describe("webhooks in the console", () => {
  const site = signInPeople(eachRole(["viewer", "operator"]), {
    prepare: ({ app }) => createOrganization(app, { name: "Acme", organizationId: "acme" }),
  });
  const { show, send } = site;
  let id = "";

  const find = () => site.service.app.store.of(webhooks).findEndpoint(id, "acme");

  it("are listed from the page of the organization, and added by operators", async () => {
    assert.match(
      (await show("viewer", "organization/acme")).text,
      /href="\/console\/webhooks\/acme"/,
    );
    const empty = await show("viewer", "webhooks/acme");
    assert.match(empty.text, /no endpoint yet/);
    assert.match(empty.text, /<h1>Webhooks\s+<small><bdi>Acme<\/bdi> <small class="id">acme</);
    assert.ok(!empty.text.includes("Add an endpoint"));
    const url = "https://hooks.example.com/a?b=<c>";
    const form = { url, events: "sluice.deletion.completed", description: "<b>ledger</b>" };
    assert.equal((await send("operator", "webhooks/acme", { ...form, url: "x" })).status, 400);
    assert.equal((await send("operator", "webhooks/acme", { url })).status, 400);
    assert.equal((await send("operator", "webhooks/none", form)).status, 404);
    const made = await send("operator", "webhooks/acme", form);
    assert.equal(made.status, 201);
    assert.equal(made.headers["cache-control"], "no-store");
    assert.match(made.text, /<code>whsec_[\w+/]{43}=<\/code>/);
    id = /href="\/console\/webhook\/(whe_\w+)"/.exec(made.text)?.[1] ?? "";
    for (const path of ["webhooks/acme", `webhook/${id}`]) {
      const { status, text } = await show("viewer", path);
      assert.equal(status, 200);
      assert.ok(text.includes("https://hooks.example.com/a?b=%3Cc%3E") && !text.includes("whsec_"));
      assert.ok(!text.includes("<b>ledger") && text.includes("&lt;b&gt;ledger"));
    }
    await send("operator", "webhooks/acme", { ...form, description: "" });
    assert.match(
      (await show("viewer", "webhooks/acme")).text,
      /<bdi>hooks\.example\.com<\/bdi> <small class="id">whe_/,
    );
  });

  it("are tested and enabled by operators", async () => {
    const { status, headers } = await send("operator", `webhook/test/${id}`);
    assert.deepEqual([status, headers.location], [303, `/console/webhook/${id}`]);
    assert.equal((await send("operator", `webhook/enable/${id}`, { from: "now" })).status, 303);
    assert.equal((await send("operator", `webhook/enable/${id}`, { from: "12" })).status, 400);
  });

  it("are removed once the id is typed", async () => {
    const { status, headers } = await send("operator", `webhook/remove/${id}`, { confirm: id });
    assert.deepEqual([status, headers.location], [303, "/console/webhooks/acme"]);
    assert.equal(await find(), undefined);
    assert.equal((await show("viewer", `webhook/${id}`)).status, 404);
  });
});
