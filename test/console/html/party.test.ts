// The names of organizations on pages: filled in when a page is shown, from what the templates have marked alone.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { html } from "../../../src/console/html/html.ts";
import {
  nameOrganizations,
  organizationList,
  renderOrganization,
} from "../../../src/console/html/party.ts";
import type { Organization } from "../../../src/domain/access.ts";

const open = { organizationId: "org_1", name: "A & B <i>" } as Organization;
const closed = { organizationId: "org_2", name: "Closed", closedAt: 1 } as Organization;
const list = async () => [open, closed];

describe("organizations on a page", () => {
  it("are shown by name with the id beside it, or by the id alone", async () => {
    const page = html`${renderOrganization("org_1")}, ${renderOrganization("org_none")}`.text;
    assert.equal(
      await nameOrganizations(page, list),
      '<bdi>A &amp; B &lt;i&gt;</bdi> <small class="id">org_1</small>, ' +
        '<span data-organization="org_none"><bdi>org_none</bdi></span>',
    );
  });

  it("are named only where a template says so, not where a value looks like it", async () => {
    const page = html`${renderOrganization("org_1").text} ${renderOrganization("org_1")}`.text;
    const named = await nameOrganizations(page, list);
    assert.equal(named.match(/A &amp; B/g)?.length, 1);
    assert.match(named, /&lt;span data-organization=&quot;org_1&quot;&gt;/);
  });

  it("are offered by name where a field asks for one that is open, and are not read otherwise", async () => {
    const field = html`<input list="organizations" /> ${organizationList}`.text;
    const offered = await nameOrganizations(field, list);
    assert.match(offered, /<option value="org_1">A &amp; B &lt;i&gt;<\/option>/);
    assert.doesNotMatch(offered, /org_2/);
    const plain = html`<p>Nothing</p>
      ${organizationList}`.text;
    assert.equal(await nameOrganizations(plain, () => assert.fail("was read")), plain);
  });
});
