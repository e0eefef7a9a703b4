// The answer to an authority on the command line: since when a relationship exists, and how it is shown.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeKey, replaceKey } from "../../../src/data-folder/receipt-key.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { operate } from "../../support/server.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import { addSubject, updatePerson } from "../../cli/write-subjects.ts";

const line = makeCommandLine();
await line.ask("organization create --name A --id acme");
replaceKey(readConfig(line.environment), makeKey());
await operate(line.environment, async (app) => {
  await addSubject(app, "person", { id: "p3", first_name: "Petra", last_name: "Lang" });
  await updatePerson(app, "p3", { last_name: "Kurz" });
});

function answer(what: string) {
  return line.ask(`subject answer ${what} --organization acme --reason`, "Inquiry 17/26");
}

describe("subject answer", () => {
  it("says since when a relationship exists, and of what nature", async () => {
    const found = await answer("person p3");
    assert.deepEqual(
      [found["relationship"], found["from"], found["until"]],
      ["exists", "2026-01-15T11:58:00Z", null],
    );
    assert.deepEqual(found["records"], [
      {
        resource_type: "person",
        records: 1,
        first_seen: "2026-01-15T11:58:00Z",
        last_seen: "2026-02-15T11:58:00Z",
      },
    ]);
    assert.equal(found["confidential"], false);
  });

  it("is a text, too, and in the audit trail without the id", async () => {
    const { out } = await line.type("subject answer person p3 --organization acme --reason why");
    assert.match(out, /A business relationship exists\./);
    const trail = await operate(line.environment, (app) => app.store.listAudit(0, 1_000));
    const own = trail.filter(({ action }) => action === "subject.answer");
    assert.ok(own.length > 0);
    assert.doesNotMatch(JSON.stringify(own), /"p3"/);
  });

  it("is a text in which no value of a record begins a line of its own", async () => {
    const product_type = "Loan\nErased\u001b[2K\u009b31m";
    await operate(line.environment, (app) => updatePerson(app, "p3", { product_type }));
    const { out } = await line.type("subject answer person p3 --organization acme --reason why");
    assert.match(out, /^Product +Loan\uFFFDErased\uFFFD\[2K\uFFFD31m /m);
    assert.ok(!out.includes("\u001b"));
  });

  it("is refused for a type that is neither a person nor a company", async () => {
    const failed = await line.fail("subject answer transaction t --organization acme --reason r");
    assert.equal(failed.name, "invalid");
  });
});
