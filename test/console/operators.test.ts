// Operators in the console: an administrator creates them and their links, and can't act as an officer by that.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { signIn, submit } from "./browse.ts";
import { signInPeople } from "./people.ts";

const organizationId = "acme";

describe("operators in the console", () => {
  const site = signInPeople(
    {
      anna: ["officer"],
      ben: ["officer"],
      adam: ["administrator"],
      both: ["administrator", "officer"],
      otto: ["operator"],
    },
    {
      prepare: ({ app }) =>
        createOrganization(app, { name: "A", organizationId, deletionApproval: true }),
    },
  );
  const { send, cookies } = site;
  const show = async (name: string, path: string) => (await site.show(name, path)).text;

  const confirm = async (name: string, whom: string) =>
    (await send(name, `operator-confirmation/${whom}`, { confirm: whom })).status;
  const create = async (by: string, name: string) =>
    (await send(by, "operators", { name, role: "officer" })).status;

  /** An administrator creates a link for somebody, and uses it as this person would. */
  async function enterAs(by: string, name: string): Promise<void> {
    const { status, text } = await send(by, `operator-link/${name}`);
    assert.equal(status, 200, text);
    const [, token = ""] = /token=(sluice_link_\w+)/.exec(text) ?? [];
    site.service.clock.advanceMs(60_000);
    const { headers } = await submit(site.service.client, "/console/link", { form: { token } });
    cookies[name] = String(headers["set-cookie"]).split(";")[0] ?? "";
  }

  /** Anna proposes to turn the approval off. Returns the path of the proposal and its id. */
  async function propose() {
    const path = `organization/approval/${organizationId}`;
    const { headers } = await send("anna", path, { deletionApproval: "off" });
    const id = String(headers.location).slice("/console/proposal/".length);
    return [`proposal/${id}`, { confirm: id }] as const;
  }

  const isOn = async () =>
    (await site.service.app.store.findOrganization(organizationId))?.deletionApproval === true;

  it("are listed, and created with roles", async () => {
    const all = await show("anna", "operators");
    assert.match(all, /href="\/console\/operator\/ben"/);
    // A link only for those who may follow it.
    assert.match(all, /"\/console\/audit\?action=operator\.sign_in">audit trail/);
    assert.doesNotMatch(await show("otto", "operators"), /"\/console\/audit/);
    assert.equal((await send("adam", "operators", { name: "x" })).status, 400);
    assert.match(await show("adam", "operator/nobody"), /There is no operator/);
    assert.match(await show("anna", "operator/anna"), /Sessions<\/dt>\s*<dd>1</);
  });

  it("have no officer's rights by an administrator alone", async () => {
    assert.equal(await create("adam", "carla"), 303);
    await enterAs("adam", "carla");
    const [path, form] = await propose();
    assert.equal((await send("carla", path, form)).status, 403);
    const closing = `organization/close/${organizationId}`;
    assert.equal((await send("carla", closing, { confirm: organizationId })).status, 403);
    assert.match(await show("carla", "account"), /Another officer has to confirm you/);
    for (const name of ["adam", "carla", "otto"]) assert.equal(await confirm(name, "carla"), 403);
    assert.ok(await isOn());
    assert.match(await show("anna", "operator/carla"), /officer not confirmed/);
    assert.equal(await confirm("anna", "carla"), 303);
    assert.equal(await confirm("ben", "carla"), 409);
    assert.equal((await send("carla", path, form)).status, 303);
    assert.ok(!(await isOn()));
    await send("anna", `organization/approval/${organizationId}`, { deletionApproval: "on" });
  });

  it("are no second person by a link of an administrator for an earlier officer", async () => {
    const [path, form] = await propose();
    await enterAs("adam", "ben");
    assert.equal((await send("ben", path, form)).status, 403);
    assert.ok(await isOn());
    // A link that was not used ends with the confirmation, which was for what there was by then.
    const unused = await send("adam", "operator-link/ben");
    const [, token = ""] = /token=(sluice_link_\w+)/.exec(unused.text) ?? [];
    assert.equal(await confirm("anna", "ben"), 303);
    const late = await submit(site.service.client, "/console/link", { form: { token } });
    assert.notEqual(late.status, 303);
    assert.equal((await send("anna", `${path}/decline`)).status, 303);
  });

  it("are not confirmed by the administrator who created them, though an officer, too", async () => {
    assert.equal(await create("both", "dora"), 303);
    await enterAs("both", "dora");
    assert.equal(await confirm("both", "dora"), 403);
    const [path, form] = await propose();
    assert.equal((await send("dora", path, form)).status, 403);
    // A link for oneself is no way round it either.
    await enterAs("both", "both");
    assert.equal(await confirm("both", "both"), 403);
    assert.equal((await send("both", path, form)).status, 403);
    assert.ok(await isOn());
    assert.equal(await confirm("anna", "dora"), 303);
  });

  it("of an issuer act as officers at once, unless an administrator has their link", async () => {
    const { app, client } = site.service;
    const now = app.now();
    const person = { operatorId: "op_olga", name: "olga", roles: ["officer"] as const };
    const identity = { issuer: "https://login.example.com", subject: "s-1" };
    const times = { createdAt: now, disabledAt: undefined, unconfirmedSince: now };
    await app.store.operators.create({ ...person, ...times, identity }, { actor: "olga", now });
    site.service.clock.advanceMs(60_000);
    cookies["olga"] = await signIn(app, client, "olga");
    const [path, form] = await propose();
    assert.match(await show("olga", path), /Approve the proposal/);
    assert.equal((await send("olga", path, form)).status, 403);
    await enterAs("adam", "olga");
    assert.match(await show("olga", path), /olga may not see what waits for a second person/);
    assert.ok(await isOn());
    assert.equal(await confirm("anna", "olga"), 303);
    assert.equal((await send("olga", `${path}/decline`)).status, 303);
  });

  it("are disabled for good, with all their sessions", async () => {
    assert.equal((await send("adam", "operator-end/dora", { confirm: "dora" })).status, 303);
    assert.match(await show("adam", "operator/dora"), /disabled/);
    assert.equal((await send("dora", "operators", { name: "x" })).status, 403);
    assert.equal(
      (await send("anna", "operator-confirmation/dora", { confirm: "dora" })).status,
      403,
    );
  });
});
