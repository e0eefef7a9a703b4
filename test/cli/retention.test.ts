// Retention on the command line: floors are set, shown, obeyed and removed, and contradictions are
// refused with nothing changed.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeFakeClock } from "../support/fake-clock.ts";
import { makeCommandLine } from "./command-line.ts";
import { addTransaction } from "./write-transactions.ts";

const clock = makeFakeClock(Date.UTC(2026, 2, 1));
const line = makeCommandLine({ now: clock.now });
await line.ask("organization create --name Acme --id acme");
await line.beside(async (app) => {
  await addTransaction(app, "acme", { tx_id: "tx-1", timestamp: "2026-01-15T00:00:00Z" });
});

const set = (type: string, keepDays: string, ...more: readonly string[]) =>
  ["retention set --organization acme --type", type, "--keep-days", keepDays, ...more] as const;
const show = () => line.ask("retention show --organization acme");

async function companyRule(): Promise<readonly unknown[]> {
  const rules = (await show())["rules"] as readonly Readonly<Record<string, unknown>>[];
  const found = rules.find((one) => one["resource_type"] === "company");
  return [found?.["keep_days"], found?.["delete_after_days"], found?.["redactable"]];
}

describe("retention set and show", () => {
  it("print the ceiling and the floors", async () => {
    const none = { organization_id: "acme", retain_days: null, rules: [] };
    assert.deepEqual(await show(), none);
    const days = {
      keep_days: 60,
      delete_after_days: null,
      counted_from: "last_seen",
      redactable: false,
    };
    const transaction = { resource_type: "transaction", ...days };
    const person = { ...days, resource_type: "person", keep_days: 1_825, counted_from: "closed" };
    await line.ask(...set("transaction", "60"));
    const expected = { ...none, rules: [person, transaction] };
    assert.deepEqual(await line.ask(...set("person", "1825", "--from", "closed")), expected);
    assert.deepEqual(await show(), expected);
    const { out } = await line.type("retention show --organization acme");
    assert.match(
      out,
      /^ceiling of types without their own +none: records are kept until a deletion is requested$/m,
    );
    assert.match(out, /^person +1,825 days +- +closed +kept too$/m);
    const redactable = await line.ask(...set("person", "1825", "--redactable", "--yes"));
    assert.deepEqual(redactable["rules"], [{ ...person, redactable: true }, transaction]);
    await line.ask(...set("person", "none", "--yes"));
    assert.deepEqual((await show())["rules"], [transaction]);
    await line.ask(...set("customer_sar", "90"));
    assert.equal(((await show())["rules"] as readonly object[]).length, 2);
    await line.ask("operator create vera --role viewer");
    const shown = await line.ask("retention show --organization acme --as vera");
    assert.deepEqual(shown["rules"], [transaction]);
    await line.ask(...set("customer_sar", "none"), "--yes");
  });

  it("name what a floor of the type can count from", async () => {
    for (const [type, origins] of [
      ["transaction", "last_seen"],
      ["transaction_suspicious_activity", "last_seen or report_filed_at"],
    ] as const) {
      const { message } = await line.fail(...set(type, "60", "--from", "closed"));
      assert.ok(message.includes(`can only count from ${origins}. `), message);
    }
  });

  it("refuse a floor above the ceiling, in both commands, and change nothing", async () => {
    await line.ask("organization set acme --retain-days 90 --yes");
    const before = await show();
    const above = await line.fail(...set("company", "91"));
    const both = /floor of the type Company, 91 days from last_seen, .* the ceiling of 90 days/;
    assert.equal(above.name, "floor_above_ceiling");
    assert.match(above.message, both);
    for (const more of [[], ["--yes"]]) {
      const { name, message } = await line.fail(
        "organization set acme --name New --retain-days 59",
        ...more,
      );
      assert.equal(name, "floor_above_ceiling");
      assert.match(message, /floor of the type Transaction, 60 days .* the ceiling of 59 days/);
    }
    assert.deepEqual(await show(), before);
    const organization = await line.ask("organization show acme");
    assert.equal(organization["organization_name"], "Acme");
  });

  it("set a ceiling of a type once it is confirmed, and say first what it will do", async () => {
    const rule = ["retention set --organization acme --type transaction"] as const;
    const before = await show();
    const ceiling = ["--delete-after-days", "60", "--from", "last_seen"] as const;
    const effect =
      "Each transaction must be kept for 60 days from when it was last seen, and is then erased without a request, " +
      "unless a hold or a floor keeps it longer.";
    const dry = await line.ask(...rule, ...ceiling, "--dry-run");
    assert.equal(dry["effect"], effect);
    assert.equal((dry["preview"] as { due: number }).due, 0);
    clock.advanceMs(60 * 86_400_000);
    const { out } = await line.type(...rule, "--delete", "--dry-run");
    assert.ok(out.startsWith(`Nothing was changed. ${effect} Now it would erase:`), out);
    assert.match(out, /^would be deleted +1 transaction$/m);
    const asked = await line.fail(...rule, "--delete");
    assert.equal(asked.name, "not_confirmed");
    assert.ok(asked.message.includes(effect));
    assert.match(asked.message, /1 transaction.*Add --yes/s);
    assert.deepEqual(await show(), before);

    const confirmed = await line.ask(...rule, "--delete", "--yes");
    const times = { keep_days: 60, delete_after_days: 60, counted_from: "last_seen" };
    const transaction = { resource_type: "transaction", ...times, redactable: false };
    assert.deepEqual(confirmed["rules"], [transaction]);
    // A longer one needs no confirmation, and the floor stays as it is.
    const longer = await line.ask(...rule, "--delete-after-days", "70");
    assert.deepEqual(longer["rules"], [{ ...transaction, delete_after_days: 70 }]);
    const removed = await line.ask(...rule, "--keep-days", "none", "--yes");
    assert.deepEqual(removed["rules"], [
      { ...transaction, keep_days: null, delete_after_days: 70 },
    ]);
    // Then the shorter ceiling of the organization applies.
    const without = [...rule, "--delete-after-days", "none"] as const;
    assert.equal((await line.fail(...without)).name, "not_confirmed");
    assert.deepEqual((await line.ask(...without, "--yes"))["rules"], []);
    await line.ask(...rule, "--keep-days", "60");
  });

  it("refuse a rule that contradicts another, also without confirmation, and change nothing", async () => {
    await line.ask("retention set --organization acme --type person --keep-days 90 --from closed");
    const before = await show();
    const person = "retention set --organization acme --type person";
    const cases = [
      [`${person} --delete-after-days 89`, "floor_above_ceiling", /ceiling of 89 days/],
      [`${person} --delete-after-days 89 --dry-run`, "floor_above_ceiling", /ceiling of 89 days/],
      [`${person} --keep-days 91`, "floor_above_ceiling", /the ceiling of 90 days/],
      [`${person} --keep-days none --delete`, "invalid", /no floor of person after which/],
      [`${person} --delete --delete-after-days 90`, "usage", /exclude each other/],
      [person, "invalid", /Nothing to change/],
      [`${person} --keep-days none --redactable`, "invalid", /Only a floor says/],
      [`${person} --redactable --no-redactable`, "usage", /exclude each other/],
      ["retention set --organization acme --type screening --delete", "invalid", /no floor/],
      [
        "retention set --organization acme --type screening --delete-after-days 9 --from closed",
        "invalid",
        /never closed/,
      ],
      ["retention preview --at 2026-01-31", "invalid", /not a day in the future/],
      ["retention preview --at soon", "usage", /a day such as/],
    ] as const;
    for (const [words, name, message] of cases) {
      await line.refused(name, message, words);
    }
    assert.deepEqual(await show(), before);
  });

  it("count from another time, with the days that they have", async () => {
    const identity = "retention set --organization acme --type identity_verification";
    assert.match((await line.fail(`${identity} --from last_seen`)).message, /Nothing to change/);
    const person = "retention set --organization acme --type person";
    const [before] = (await show())["rules"] as readonly object[];
    assert.equal((await line.fail(`${person} --from last_seen`)).name, "not_confirmed");
    const [after] = (await line.ask(`${person} --from last_seen --yes`))[
      "rules"
    ] as readonly object[];
    assert.deepEqual(after, { ...before, counted_from: "last_seen" });
    await line.ask(`${person} --from closed --yes`);
  });

  it("keep references redactable until they are told otherwise, and say so", async () => {
    const company = "retention set --organization acme --type company";
    const allowed = /References in it may be redacted meanwhile\./;
    assert.match((await line.type(`${company} --keep-days 20 --redactable`)).out, allowed);
    assert.match((await line.type(`${company} --keep-days 30`)).out, allowed);
    assert.deepEqual(await companyRule(), [30, null, true]);
    await line.ask(`${company} --delete-after-days 40 --yes`);
    assert.deepEqual(await companyRule(), [30, 40, true]);
    const ended = await line.type(`${company} --no-redactable`);
    assert.match(ended.out, /References in it may no longer be redacted\./);
    assert.deepEqual(await companyRule(), [30, 40, false]);
    await line.ask(`${company} --redactable --yes`);
    assert.deepEqual(await companyRule(), [30, 40, true]);
    // The permission belongs to the floor.
    await line.ask(`${company} --keep-days none --yes`);
    await line.ask(`${company} --keep-days 30`);
    assert.deepEqual(await companyRule(), [30, 40, false]);
    await line.ask(`${company} --keep-days none --delete-after-days none --yes`);
  });

  it("refuse what does not exist or can't be kept, and change nothing", async () => {
    const before = await show();
    const cases: readonly (readonly [readonly string[], string, RegExp])[] = [
      [set("transactoin", "5"), "no_such_type", /did you mean transaction/],
      [set("person", "5", "--from", "closing"), "usage", /one of last_seen, closed/],
      [set("person", "0"), "usage", /from 1 to 36500, or "none"/],
      [set("person", "36501"), "usage", /from 1 to 36500/],
      [set("person", "1.5"), "usage", /whole number/],
      [set("transaction", "5", "--from", "closed"), "invalid", /never closed.*person, company/],
      [
        set("customer_sar", "5", "--from", "report_filed_at"),
        "invalid",
        /no field report_filed_at/,
      ],
      [["retention show --organization nobody"], "no_such_organization", /There are: acme/],
    ];
    for (const [words, name, message] of cases) {
      await line.refused(name, message, ...words);
    }
    const unknown = ["--organization", "nobody", "--type", "person", "--keep-days", "5"];
    assert.equal((await line.fail("retention set", ...unknown)).name, "no_such_organization");
    assert.deepEqual(await show(), before);
  });
});
