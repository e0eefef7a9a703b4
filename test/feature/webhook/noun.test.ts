// The commands for endpoints of webhooks.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeKeyReader } from "../../../src/data-folder/receipt-key.ts";
import { webhookEvents } from "../../../src/feature/webhook/webhook.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { operate } from "../../support/server.ts";
import { endpointsMax } from "../../../src/feature/webhook/store/rows.ts";
import { makeCommandLine } from "../../cli/command-line.ts";

const line = makeCommandLine();
await line.ask("organization create --name Acme --id acme");
const url = "https://hooks.example.com/sluice";

describe("webhook create", () => {
  it("says that there is no key before the service was first started", async () => {
    const reply = await line.fail(`webhook create --organization acme --url ${url}`);
    assert.equal(reply.name, "webhook_key");
    makeKeyReader(readConfig(line.environment))();
  });

  it("shows the secret once, with every event unless some are named", async () => {
    const made = await line.ask(`webhook create --organization acme --url ${url}`);
    const names = ["webhook_endpoint_id", "organization_id", "secret", "public_key"];
    assert.deepEqual(Object.keys(made), names);
    assert.match(String(made["secret"]), /^whsec_/);
    const { out } = await line.type("webhook list --json");
    assert.ok(!out.includes("whsec_"));
    const [listed] = (JSON.parse(out) as { webhook_endpoints: Record<string, unknown>[] })
      .webhook_endpoints;
    assert.equal(listed?.["webhook_endpoint_id"], made["webhook_endpoint_id"]);
    assert.equal(listed?.["public_key"], made["public_key"]);
    assert.equal(listed?.["state"], "enabled");
    assert.deepEqual(listed?.["events"], webhookEvents);
  });

  it("refuses what is not valid", async () => {
    for (const wrong of [
      `--url http://hooks.example.com`,
      `--url https://10.0.0.1/hook`,
      `--url https://user@hooks.example.com`,
      `--url ${url} --events sluice.deletion.complete`,
    ]) {
      const { name } = await line.fail(`webhook create --organization acme ${wrong}`);
      assert.equal(name, "invalid", wrong);
    }
    const { name } = await line.fail(`webhook create --organization none --url ${url}`);
    assert.equal(name, "no_such_organization");
    await line.ask("organization create --name Full --id full");
    const create = `webhook create --organization full --url ${url}`;
    for (let made = 0; made < endpointsMax; made += 1) await line.ask(create);
    assert.equal((await line.fail(create)).name, "too_many_endpoints");
  });
});

describe("an endpoint of webhooks", () => {
  it("is tested, enabled at a place, and removed", async () => {
    const made = await line.ask(`webhook create --organization acme --url ${url}`);
    const id = String(made["webhook_endpoint_id"]);
    assert.match((await line.type(`webhook test ${id}`)).out, /will send a test event/);
    assert.equal((await line.ask(`webhook enable ${id}`))["state"], "enabled");
    assert.equal((await line.ask(`webhook enable ${id} --from now`))["state"], "enabled");
    assert.equal((await line.fail(`webhook enable ${id} --from 12`)).name, "invalid");
    assert.equal((await line.ask(`webhook remove ${id}`))["webhook_endpoint_id"], id);
    assert.equal((await line.fail(`webhook remove ${id}`)).name, "no_such_endpoint");
  });

  it("is neither tested nor enabled after its key was replaced", async () => {
    const own = makeCommandLine();
    makeKeyReader(readConfig(own.environment))();
    await own.ask("organization create --name Acme --id acme");
    const made = await own.ask(`webhook create --organization acme --url ${url}`);
    const id = String(made["webhook_endpoint_id"]);
    await own.ask("receipt rotate");
    for (const command of ["test", "enable"]) {
      const refusal = await own.fail(`webhook ${command} ${id}`);
      assert.equal(refusal.name, "key_changed");
      assert.match(refusal.message, /Create another one with the same URL/);
    }
  });

  it("is not enabled at an event that a restore has lost, whatever has its number now", async () => {
    const own = makeCommandLine();
    makeKeyReader(readConfig(own.environment))();
    await own.ask("organization create --name Acme --id acme");
    const made = await own.ask(`webhook create --organization acme --url ${url}`);
    const id = String(made["webhook_endpoint_id"]);
    /** As an event has it that is about the latest entry of the trail. */
    const offsetOfLast = () =>
      operate(own.environment, async ({ store, offsets }) => {
        const [last] = (await store.listAudit(0, 99)).slice(-1);
        assert.ok(last !== undefined);
        return (await offsets()).encodeEntry(id, last);
      });
    const kept = await offsetOfLast();
    const backup = join(own.folder, "backup.db");
    await own.ask(`backup ${backup}`);
    const lost = [];
    for (let count = 0; count < 9; count += 1) {
      await own.ask(`organization create --name Later --id later-${count}`);
      lost.push(await offsetOfLast());
    }
    assert.equal((await own.ask(`webhook enable ${id} --from ${lost[8]}`))["state"], "enabled");
    await own.ask(`restore ${backup} --replace`);
    for (const offset of lost) {
      const { message } = await own.fail(`webhook enable ${id} --from ${offset}`);
      assert.match(message, /not in the store any more/);
    }
    assert.equal((await own.ask(`webhook enable ${id} --from ${kept}`))["state"], "enabled");
  });
});
