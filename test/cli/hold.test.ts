// Legal holds on the command line: several on one record, each with its own id, released one by
// one, listed and shown.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeFakeClock } from "../support/fake-clock.ts";
import { makeCommandLine } from "./command-line.ts";
import { addTransaction } from "./write-transactions.ts";

const clock = makeFakeClock();
const line = makeCommandLine({ now: clock.now });
const ofAcme = ["--organization", "acme"] as const;
await line.ask("organization create --name Acme --id acme");
await line.ask("organization create --name Other --id other");
await line.beside(async (app) => {
  for (const id of ["one", "two", "three", "free"]) {
    await addTransaction(app, "acme", { tx_id: id });
  }
});

interface Shown {
  readonly hold_id: string;
  readonly reason: string;
}

function place(id: string, ...words: readonly string[]) {
  clock.advanceMs(1_000);
  return line.ask("deletion hold transaction", id, ...ofAcme, "--reason", ...words);
}

async function listed(...words: readonly string[]): Promise<readonly unknown[]> {
  const { holds } = (await line.ask("deletion holds", ...words)) as { holds: readonly Shown[] };
  return holds.map(({ hold_id }) => hold_id);
}

describe("deletion hold", () => {
  it("prints the id of the hold, and all of its properties", async () => {
    const more = ["--owner", "Legal, Zoë", "--review-date", "2026-12-31"] as const;
    const held = await place("one", "case 1", ...more);
    assert.match(String(held["hold_id"]), /^hold_\w{16}$/);
    assert.deepEqual(
      { ...held, hold_id: "" },
      {
        hold_id: "",
        organization_id: "acme",
        resource_type: "transaction",
        resource_id: "one",
        reason: "case 1",
        owner: "Legal, Zoë",
        review_date: "2026-12-31",
        until: null,
        placed_at: new Date(clock.now()).toISOString(),
        placed_by: "operator",
      },
    );
    const { out } = await line.type(
      "deletion hold transaction one",
      ...ofAcme,
      "--reason",
      "case 2",
    );
    assert.match(
      out,
      /is held: case 2\nThe hold is hold_\w{16}\. It lasts until it is released\.\n$/,
    );
  });

  it("can end by itself, and says when", async () => {
    const words = ["deletion hold transaction free", ...ofAcme, "--reason", "FIU"];
    const { out } = await line.type(...words, "--until", "2026-06-30");
    assert.match(out, /It ends by itself after 2026-06-30, unless it is released before\./);
    const holds = await line.ask("deletion holds --ending");
    assert.deepEqual(reasons(holds), ["FIU"]);
    await line.ask("deletion release transaction free", ...ofAcme);
    await line.refused("invalid", /5 years at most/, ...words, "--until", "2031-06-02");
    assert.equal((await line.fail(...words, "--until", "2026-05-31")).name, "invalid");
    assert.deepEqual(await listed("--ending"), []);
  });

  it("places another one on a held record", async () => {
    const holds = [await place("two", "first"), await place("two", "second")];
    assert.notEqual(holds[0]?.["hold_id"], holds[1]?.["hold_id"]);
    assert.equal(holds[1]?.["reason"], "second");
  });

  for (const [words, says] of [
    [["--review-date", "soon"], /a day such as 2026-12-31/],
    [["--review-date", "2026-02-30"], /a day such as 2026-12-31/],
    [["--owner", "a\nb"], /without control characters/],
  ] as const) {
    it(`refuses ${JSON.stringify(words)}`, async () => {
      const wanted = ["deletion hold transaction one", ...ofAcme, "--reason", "r", ...words];
      await line.refused("usage", says, ...wanted);
    });
  }
});

describe("deletion release", () => {
  it("ends one of several by its id, and says what is left", async () => {
    const [first, second] = [await place("three", "a"), await place("three", "b")];
    const id = String(first["hold_id"]);
    const { out } = await line.type("deletion release", id);
    assert.match(
      out,
      new RegExp(`${id} is released\\..* is still held by:\\n  ${String(second["hold_id"])}  b`),
    );
    await line.refused("no_such_hold", /sluice deletion holds/, "deletion release", id);
    const last = await line.ask("deletion release", String(second["hold_id"]));
    assert.deepEqual(last["remaining"], []);
  });

  it("requires the id if the record carries several, and ends none", async () => {
    const { name, message } = await line.fail("deletion release transaction two", ...ofAcme);
    assert.equal(name, "several_holds");
    assert.match(message, /has 2 holds.*hold_\w+ {2}first\n {2}hold_\w+ {2}second$/s);
    assert.equal((await listed(...ofAcme)).length, 4);
  });

  it("accepts the record if there is one, and reports if there is none", async () => {
    const held = await place("free", "only");
    const released = await line.ask("deletion release transaction free", ...ofAcme);
    assert.equal(released["hold_id"], held["hold_id"]);
    const { name, message } = await line.fail("deletion release transaction free", ...ofAcme);
    assert.equal(name, "no_such_hold");
    assert.match(message, /Held there: transaction /);
  });
});

describe("deletion holds", () => {
  it("lists by organization, type and overdue review", async () => {
    assert.equal((await listed()).length, 4);
    assert.equal((await listed("--organization", "other")).length, 0);
    assert.equal((await listed("--type", "person")).length, 0);
    assert.equal((await listed("--type", "transaction")).length, 4);
    assert.equal((await listed("--overdue")).length, 0);
    clock.advanceMs(365 * 86_400_000);
    assert.equal((await listed("--overdue")).length, 1);
    assert.equal((await listed("--overdue", "--organization", "other")).length, 0);
    const { out } = await line.type("deletion holds --overdue");
    assert.match(out, /^hold_\w+ +acme +transaction one +case 1 +Legal, Zoë +2026-12-31 /m);
  });

  it("refuses unknown values, and says when there are none", async () => {
    assert.equal((await line.fail("deletion holds --type x")).name, "no_such_type");
    assert.equal((await line.fail("deletion holds --organization x")).name, "no_such_organization");
    const { out } = await line.type("deletion holds --organization other");
    assert.match(out, /There is no hold to list/);
  });
});

function reasons(shown: Readonly<Record<string, unknown>>): readonly string[] {
  return (shown["holds"] as readonly Shown[]).map(({ reason }) => reason);
}

describe("holds are shown", () => {
  it("with a record that carries any, and only then", async () => {
    const shown = await line.ask("record show transaction two", ...ofAcme);
    assert.deepEqual(reasons(shown), ["first", "second"]);
    assert.ok(!("holds" in (await line.ask("record show transaction free", ...ofAcme))));
    const { out } = await line.type("record show transaction two", ...ofAcme);
    assert.match(out, /\nHolds\nhold .*\nhold_\w+ .*transaction two +first /);
  });

  it("with an organization, and with a deletion", async () => {
    assert.equal(reasons(await line.ask("organization show acme")).length, 4);
    const words = ["deletion request transaction two", ...ofAcme, "--reason", "asked"];
    const asked = await line.ask(...words);
    const shown = await line.ask("deletion show", String(asked["deletion_request_id"]));
    assert.deepEqual(reasons(shown), ["first", "second"]);
    assert.equal(shown["waiting_for"], "a hold on this record: first, and 1 more hold");
  });
});
