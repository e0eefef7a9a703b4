// Finding persons and companies on the command line: what is found, what the audit trail says of it, and the index
// after a change of the key.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { indexNext } from "../../../src/feature/find/build-index.ts";
import { findSubjects } from "../../../src/feature/find/find-subjects.ts";
import { makeKey, replaceKey } from "../../../src/data-folder/receipt-key.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { draftOf } from "../../conformance/scene.ts";
import { operate } from "../../support/server.ts";
import { withActs } from "../../support/test-store.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import { addSubject, updatePerson } from "../../cli/write-subjects.ts";

const line = makeCommandLine();
for (const id of ["acme", "other"]) await line.ask("organization create --name A --id", id);
replaceKey(readConfig(line.environment), makeKey());
await operate(line.environment, async (app) => {
  const both = { first_name: "Jürgen", last_name: "Müller", date_of_birth: "1990-12-10" };
  await addSubject(app, "person", { id: "p1", ...both });
  await addSubject(app, "person", { id: "p2", first_name: "Jürgen Karl", last_name: "Müller" });
  await addSubject(app, "person", { id: "p3", ...both, first_name: "Petra", last_name: "Lang" });
  await updatePerson(app, "p3", { last_name: "Kurz" });
  await addSubject(app, "person", {
    id: "p4",
    name: "Ada",
    email: "Ada@Example.com",
    phone_number: "030 1234567",
  });
  await addSubject(app, "company", { id: "c1", legal_name: "Müller Bau GmbH" });
});

interface Found {
  readonly subjects: readonly {
    readonly resource_id: string;
    readonly matched: readonly { readonly [name: string]: unknown }[];
  }[];
  readonly total: number;
  readonly incomplete: string | null;
}

async function find(...words: readonly string[]): Promise<Found> {
  const found = await line.ask(
    "subject find --organization acme --reason",
    "Inquiry 17/26",
    ...words,
  );
  return found as unknown as Found;
}

async function idsBy(...words: readonly string[]): Promise<readonly string[]> {
  return (await find(...words)).subjects.map(({ resource_id }) => resource_id);
}

describe("subject find", () => {
  it("finds other spellings of a name, exact ones before partial ones", async () => {
    const { subjects, incomplete } = await find("--name", "Mueller, Juergen");
    assert.equal(incomplete, null);
    const exact = { criterion: "name", match: "exact", field: "first_name last_name" };
    assert.deepEqual(
      subjects.map(({ resource_id, matched }) => [resource_id, matched]),
      [
        ["p1", [{ ...exact, former: false }]],
        ["p2", [{ ...exact, match: "partial", former: false }]],
      ],
    );
  });

  it("finds a former name, and says so", async () => {
    const [one] = (await find("--name", "Petra Lang")).subjects;
    assert.deepEqual([one?.resource_id, one?.matched[0]?.["former"]], ["p3", true]);
    const [now] = (await find("--name", "Kurz")).subjects;
    assert.deepEqual([now?.resource_id, now?.matched[0]?.["former"]], ["p3", false]);
  });

  it("finds by each of the other criteria", async () => {
    assert.deepEqual(await idsBy("--email", "ada@example.COM"), ["p4"]);
    assert.deepEqual(await idsBy("--telephone", "+49 30 1234567"), ["p4"]);
    assert.deepEqual(await idsBy("--registration", "hrb1234"), ["c1"]);
    assert.deepEqual(await idsBy("--document", "hrb1234"), []);
    assert.deepEqual(await idsBy("--born", "1990-12-10"), ["p1", "p3"]);
  });

  it("lists those first that match more, and by a date of birth only with something else", async () => {
    assert.deepEqual(await idsBy("--born", "1990-12-10", "--name", "Jürgen Müller"), ["p1", "p2"]);
  });

  it("is recorded with its reason, and without what was entered", async () => {
    await find("--name", "Somebody Unheardof", "--email", "who@example.com");
    const trail = await operate(line.environment, (app) => app.store.listAudit(0, 1_000));
    const text = JSON.stringify(trail);
    assert.match(text, /subject\.find/);
    assert.match(text, /Inquiry 17\/26/);
    assert.doesNotMatch(text, /unheardof|who@/i);
  });

  it("refuses a search without anything known, and a value that is none", async () => {
    const start = "subject find --organization acme --reason r";
    assert.match((await line.fail(start)).message, /Say what is known/);
    for (const words of ["--born 10.12.1990", "--email nobody", "--telephone none", "--name ..."]) {
      const failed = await line.fail(`${start} ${words}`);
      assert.equal(failed.name, "invalid");
      assert.doesNotMatch(failed.message, /nobody|none/);
    }
    const nowhere = "subject find --organization nowhere --reason r --name A";
    assert.equal((await line.fail(nowhere)).name, "no_such_organization");
  });

  it("says that it has left some out, and how many there are at least", async () => {
    await line.ask("organization create --name A --id many");
    const ids = Array.from({ length: 1_001 }, (_, at) => `p${at}`);
    await operate(line.environment, ({ store }) =>
      withActs(store).write(
        ids.map((id) => draftOf("person", id, { name: "Ada Common" })),
        { organizationId: "many", resourceType: "person" },
      ),
    );
    const start = "subject find --organization many --reason r --name";
    const { out } = await line.type(start, "Ada Common");
    assert.match(out, /^100 of at least 1000 are listed\. The others were left out, because many/m);
    assert.equal(out.match(/^person /gm)?.length, 100);
  });

  it("finds nothing of another organization", async () => {
    const options = [
      "--name Müller",
      "--born 1990-12-10",
      "--email ada@example.com",
      "--telephone 0301234567",
      "--registration hrb1234",
    ];
    for (const option of options) {
      assert.ok((await idsBy(...option.split(" "))).length > 0, option);
      const own = await line.ask(`subject find --organization other --reason r ${option}`);
      assert.deepEqual([own["subjects"], own["total"], own["more"]], [[], 0, false], option);
    }
  });
});

describe("subject index", () => {
  it("is needed after a change of the key, and makes the same index", async () => {
    const before = await find("--name", "Müller");
    replaceKey(readConfig(line.environment), makeKey());
    const failed = await line.fail("subject find --organization acme --reason r --name Ada");
    assert.equal(failed.name, "search_key");
    assert.match(failed.message, /: npx sluice subject index/);
    assert.deepEqual(await line.ask("subject index"), { complete: true });
    assert.deepEqual(await find("--name", "Müller"), before);
    await operate(line.environment, async (app) => {
      assert.equal(await indexNext(app), false);
      assert.equal((await app.store.checkIntegrity()).findings.length, 0);
    });
  });
});

describe("a search for names that are similar to one of many words", () => {
  it("lets others be served between its steps", async () => {
    await operate(line.environment, async (app) => {
      let [served, isFound] = [0, false];
      const serve = (): void => {
        served += 1;
        if (!isFound) setImmediate(serve);
      };
      setImmediate(serve);
      const name = Array.from(
        { length: 40 },
        (_, at) => `abcdefghij${String.fromCharCode(97 + (at % 26))}`,
      );
      const wanted = { name: name.join(" ") };
      await findSubjects(app, { organizationId: "acme", reason: "Inquiry", wanted });
      isFound = true;
      assert.ok(served >= 10, `${served} times`);
    });
  });
});
