// The commands for recipients of changes.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recipientsMax } from "../../../src/feature/recipient/store/rows.ts";
import { makeCommandLine } from "../../cli/command-line.ts";

const line = makeCommandLine({});
await line.ask("organization create --name Acme --id acme");
const create = "recipient create --organization acme --name";

describe("the commands for recipients", () => {
  it("register one with all types that are not confidential, or with those that are named", async () => {
    const all = await line.ask(`${create} all`);
    assert.ok(Array.isArray(all["types"]) && !all["types"].includes("customer_sar"));
    const few = await line.ask(`${create} few --types customer_sar,person,person`);
    assert.deepEqual(few["types"], ["person", "customer_sar"]);
    assert.deepEqual(await line.ask(`${create} few --types person,customer_sar`), few);
    assert.equal((await line.fail(`${create} few --types person`)).name, "recipient_exists");
    assert.equal((await line.fail(`${create} a/b`)).name, "invalid");
    assert.equal((await line.fail(`${create} empty --types none`)).name, "invalid");
  });

  it("list them, and remove one", async () => {
    const listed = await line.ask("recipient list --organization acme");
    const names = (listed["recipients"] as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(names, ["all", "few"]);
    const { out } = await line.type("recipient list");
    assert.match(out, /few +acme .* person,customer_sar/);
    await line.ask("recipient remove --organization acme --name all");
    const again = await line.fail("recipient remove --organization acme --name all");
    assert.equal(again.name, "no_such_recipient");
    assert.match(again.message, /There are: few/);
  });

  it("refuse more than an organization can have", async () => {
    for (let number = 1; number < recipientsMax; number += 1) {
      await line.ask(`${create} r${number}`);
    }
    assert.equal((await line.fail(`${create} last`)).name, "too_many_recipients");
  });
});
