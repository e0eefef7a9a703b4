// Rules for identities of programs in the console: created, shown and revoked, within the rights of each role.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { eachRole, signInPeople } from "../../console/people.ts";

type Fields = Readonly<Record<string, string>>;

describe("identities of programs in the console", () => {
  const site = signInPeople(eachRole(["viewer", "operator"]), {
    prepare: ({ app }) => createOrganization(app, { name: "Acme", organizationId: "acme" }),
  });
  const { show, send } = site;
  let id = "";

  it("are listed from the page of the organization, and created by operators", async () => {
    const page = await show("viewer", "organization/acme");
    assert.match(page.text, /href="\/console\/identities\/acme"/);
    const empty = await show("viewer", "identities/acme");
    assert.match(empty.text, /no rule yet/);
    assert.ok(!empty.text.includes("Create a rule"));
    const form = {
      name: "<b>nightly</b>",
      issuer: "https://issuer.example.com",
      audience: "sluice",
      claim: "sub=<i>a=b</i>\r\nref=refs/heads/*\r\n",
      lifetime: "30m",
      jwksUrl: "",
      jwks: "",
      scopes: "transactions:write",
    };
    assert.equal((await send("operator", "identities/none", form)).status, 404);
    const wrong: Fields[] = [
      { issuer: "x" },
      { audience: "" },
      { claim: "" },
      { claim: "sub" },
      { claim: "sub=a\nsub=b" },
      { lifetime: "1s" },
      { jwks: "{" },
      { jwksUrl: "http://example.com" },
      { scopes: "none" },
    ];
    for (const more of wrong) {
      const { status } = await send("operator", "identities/acme", { ...form, ...more });
      assert.equal(status, 400, JSON.stringify(more));
    }
    const feed = { ...form, scopes: "transactions:write,changes:read" };
    const refused = await send("operator", "identities/acme", feed);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /transaction_suspicious_activity\. \w+ may not learn/);
    const { status, headers } = await send("operator", "identities/acme", form);
    assert.equal(status, 303);
    id = /^\/console\/identity\/(idn_\w+)$/.exec(headers.location ?? "")?.[1] ?? "";
    const stored = (await site.service.app.store.findKey(id))?.rule;
    assert.deepEqual(stored, {
      issuer: "https://issuer.example.com",
      audience: "sluice",
      claims: { sub: "<i>a=b</i>", ref: "refs/heads/*" },
      lifetimeSeconds: 1_800,
      reusable: false,
    });
    for (const path of ["identities/acme", `identity/${id}`]) {
      const { status: shown, text } = await show("viewer", path);
      assert.equal(shown, 200);
      assert.ok(text.includes("https://issuer.example.com") && text.includes("refs/heads/*"));
      assert.ok(!text.includes("<b>nightly") && !text.includes("<i>a"));
    }
  });

  it("are revoked once the id is typed", async () => {
    const path = `identity/revoke/${id}`;
    const { status, headers } = await send("operator", path, { confirm: id });
    assert.deepEqual([status, headers.location], [303, `/console/identity/${id}`]);
    assert.match((await show("viewer", `identity/${id}`)).text, /revoked/);
    assert.ok(!(await show("operator", `identity/${id}`)).text.includes("Revoke"));
    assert.equal((await show("viewer", "identity/idn_none")).status, 404);
  });
});
