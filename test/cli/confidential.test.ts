// What operators are shown without --include-confidential: two organizations that differ only in reports, what these
// keep in the restricted store and holds on them have the same output from every command that lists or counts, and with
// it they differ.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeFakeClock } from "../support/fake-clock.ts";
import { makeCommandLine, ndjsonOf, withoutManifest } from "./command-line.ts";
import { processAll } from "./process-all.ts";
import { addRecord, addTransaction } from "./write-transactions.ts";

const clock = makeFakeClock(Date.UTC(2026, 2, 1));
const line = makeCommandLine({ now: clock.now });
const timestamp = "2026-02-01T00:00:00Z";
const organizations = ["acme", "bare"] as const;
type OrganizationId = (typeof organizations)[number];
const deletions = new Map<OrganizationId, string>();
/** To close the organization. */
const proposals = new Map<OrganizationId, string>();
/** Of which a part is of the report. */
const kept = { sar: "", closing: "" };

const on = (id: OrganizationId) => ["--organization", id, "--reason", "r"] as const;

for (const id of organizations) {
  await line.ask("organization create --name Name --id", id);
  await line.ask("retention set --type customer_sar --keep-days 90 --organization", id);
  const filed = "transaction_suspicious_activity --keep-days 60 --organization";
  await line.ask(`retention set --type ${filed}`, id);
  await line.ask("organization set --retain-days 90 --yes", id);
  await line.beside(async (app) => {
    for (const tx of ["tx-1", "tx-2"]) await addTransaction(app, id, { tx_id: tx });
    const person = { person_id: "p-1", is_test_user: false, is_retail_customer: true, timestamp };
    await addRecord(app, id, { type: "person", fields: person });
    if (id === "bare") return;
    const type = "transaction_suspicious_activity";
    const detected = { suspicious_activity_id: "r-1", detection_date: timestamp, timestamp };
    await addRecord(app, id, { type, fields: { ...detected, related_tx_ids: ["tx-1"] } });
    const sar = { sar_id: "s-1", status: "FILED", related_person_id: "p-1", timestamp };
    await addRecord(app, id, { type: "customer_sar", fields: sar });
    const other = { ...sar, sar_id: "s-2" };
    await addRecord(app, id, { type: "customer_sar", fields: other });
  });
}
await line.ask("deletion hold customer_sar s-1", ...on("acme"));
await line.ask("deletion hold transaction tx-2", ...on("acme"));
await line.ask("deletion hold transaction tx-2", ...on("bare"));
for (const id of organizations) {
  const asked = await line.ask("deletion request transaction tx-1", ...on(id));
  deletions.set(id, String(asked["deletion_request_id"]));
}
const officers = "--include-confidential";
const before = {
  pending: await line.ask("deletion show", deletions.get("acme") ?? "", officers),
  ceiling: await line.ask("retention preview --organization acme --days 1", officers),
};
for (const id of organizations) {
  await line.ask("organization set --deletion-approval on", id);
  const close = ["organization close --yes --as otto --reason r --organization", id] as const;
  if (id === "acme") await line.ask("operator create otto --role officer");
  const { message } = await line.fail(...close);
  proposals.set(id, /prp_\w+/.exec(message)?.[0] ?? "");
  await line.ask("organization set --deletion-approval off", id);
}
const sar = await line.ask("deletion request customer_sar s-2", ...on("acme"));
kept.sar = String(sar["deletion_request_id"]);
await processAll(line);
await processAll(line);
// A legal hold on a record that is in the restricted store.
const set = ["--restricted", deletions.get("acme") ?? ""] as const;
const { out: heldInSet } = await line.type("deletion hold transaction tx-1", ...on("acme"), ...set);

/** Without what differs by chance, and the name of the organization. */
async function typed(id: OrganizationId, ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await line.type(...words);
  const known = new Map([
    [deletions.get(id) ?? "", "<deletion>"],
    [proposals.get(id) ?? "", "<proposal>"],
  ]);
  let text = `${code} ${withoutManifest(out)} ${err}`;
  for (const [from, to] of known) text = text.replaceAll(from, to);
  return text
    .replaceAll(id, "<one>")
    .replaceAll(/hold_\w+|del_\w+/g, "<id>")
    .replaceAll(
      /"(?:removed|kept|references_removed|previous_receipt|salt|signature)": ?"[^"]*"/g,
      "<hash>",
    )
    .replaceAll(/"receipt_no": ?\d+/g, "<number>");
}

/** By which somebody could learn of the report. */
const commands: readonly ((id: OrganizationId) => readonly string[])[] = [
  (id) => ["organization show", id],
  (id) => ["organization close --organization", id],
  (id) => ["deletion list --organization", id],
  (id) => ["deletion holds --organization", id],
  (id) => ["deletion holds --limit 1 --organization", id],
  (id) => ["deletion holds --type customer_sar --organization", id],
  (id) => ["deletion release transaction tx-9 --organization", id],
  (id) => ["deletion show", deletions.get(id) ?? ""],
  (id) => ["deletion show", `restricted/${deletions.get(id)}`],
  (id) => ["deletion cancel", `restricted/${deletions.get(id)}`],
  (id) => ["receipt disclose", deletions.get(id) ?? ""],
  (id) => ["receipt disclose", `restricted/${deletions.get(id)}`],
  (id) => ["receipt export --organization", id],
  (id) => ["retention preview --organization", id, "--days", "1"],
  (id) => ["proposal show", proposals.get(id) ?? ""],
];

describe("without --include-confidential", () => {
  it("no command shows a report, what it keeps, or a hold on it", async () => {
    for (const wordsFor of commands) {
      for (const json of [[], ["--json"]]) {
        const words = (id: OrganizationId) => [...wordsFor(id), ...json];
        const shown = await typed("acme", ...words("acme"));
        assert.equal(shown, await typed("bare", ...words("bare")));
        assert.doesNotMatch(shown, /s-1|s-2|r-1/);
      }
    }
  });

  it("lists of the whole store leave out restricted sets and confidential records", async () => {
    const { holds, next } = await line.ask("deletion holds --limit 2");
    const held = holds as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual(
      held.map((hold) => hold["resource_id"]),
      ["tx-2", "tx-2"],
    );
    assert.equal(next, held.at(-1)?.["hold_id"]);
    const { deletions: listed } = await line.ask("deletion list --limit 2");
    const ids = (listed as readonly Readonly<Record<string, unknown>>[]).map(
      (deletion) => deletion["deletion_request_id"],
    );
    assert.deepEqual(new Set(ids), new Set(deletions.values()));
    await line.refused("usage", /--include-confidential.*--organization/s, "receipt export");
  });

  it("a deletion of a confidential record seems not to exist", async () => {
    for (const command of ["deletion show", "receipt disclose"]) {
      assert.equal((await line.fail(command, kept.sar)).name, "no_such_deletion");
    }
    const shown = await line.ask("deletion show --include-confidential", kept.sar);
    assert.equal(shown["resource_id"], "s-2");
  });
});

type Row = Readonly<Record<string, unknown>>;

describe("with --include-confidential", () => {
  it("an organization has the holds on its records in the restricted store", async () => {
    const held = async (...words: readonly string[]) => {
      const { holds } = await line.ask(...words, officers);
      return holds as readonly Row[];
    };
    const by = deletions.get("acme");
    const ofAcme = await held("deletion holds --organization acme");
    assert.deepEqual(new Set(ofAcme.map((hold) => hold["organization_id"])), new Set(["acme"]));
    const restricted = ofAcme.filter((hold) => hold["restricted_by"] === by);
    assert.deepEqual(
      restricted.map((hold) => hold["resource_id"]),
      ["tx-1"],
    );
    const ids = ofAcme.map((hold) => String(hold["hold_id"]));
    assert.deepEqual(ids, [...ids].sort());
    // One by one, each page continues after the last hold of the one before.
    for (const [index, id] of ids.entries()) {
      const after = index === 0 ? [] : ["--after", ids[index - 1] ?? ""];
      const [one, ...more] = await held("deletion holds --organization acme --limit 1", ...after);
      assert.deepEqual([one?.["hold_id"], more], [id, []]);
    }
    assert.deepEqual(await held("organization show acme"), ofAcme);
    const others = [...(await held("deletion holds --organization bare")), ...ofAcme];
    assert.deepEqual(
      new Set(others.map((hold) => hold["hold_id"])),
      new Set((await held("deletion holds")).map((hold) => hold["hold_id"])),
    );
    assert.equal(others.length, ofAcme.length + 1);
    const { out } = await line.type("deletion holds --organization acme", officers);
    assert.match(out, new RegExp(`acme +transaction tx-1, restricted by ${by}`));
    const shown = await line.ask("restricted show --organization acme", by ?? "");
    const records = shown["list"] as readonly { readonly holds: readonly Row[] }[];
    const record = records.find(({ holds }) => holds.length > 0);
    assert.deepEqual(record?.holds, restricted);
    assert.match(
      heldInSet,
      /^transaction tx-1 of organization acme, in the restricted store, is held/,
    );
    assert.doesNotMatch(heldInSet + out, /restricted\/del_/);
  });

  it("a pending deletion and the ceiling name what would move to the restricted store", async () => {
    const report = { resource_type: "transaction_suspicious_activity", resource_id: "r-1" };
    const transaction = { resource_type: "transaction", resource_id: "tx-1" };
    const { would_restrict: would } = before.pending;
    const records = [report, transaction];
    const time = { kept_until: "2026-04-02T00:00:00.000Z", held: false, complete: true };
    assert.deepEqual(would, { ...time, records, reports: [] });
    const id = deletions.get("acme") ?? "";
    const { list } = await line.ask("restricted show --organization acme", id);
    const moved = list as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual(
      new Set(moved.map((record) => record["resource_id"])),
      new Set(records.map((record) => record.resource_id)),
    );
    const [preview] = before.ceiling["organizations"] as readonly Readonly<
      Record<string, unknown>
    >[];
    const named = preview?.["would_restrict"] as readonly { readonly resource_id: string }[];
    const ids = new Set(named.map((record) => record.resource_id));
    assert.deepEqual(ids, new Set(["s-1", "s-2"]));
  });

  it("a pending deletion names what moves of a type that the organization has made confidential", async () => {
    const own = makeCommandLine({ now: clock.now });
    await own.ask("organization create --name Name --id own");
    await own.ask("organization set own --confidential-types screening");
    await own.beside(async (app) => {
      await addTransaction(app, "own", { tx_id: "tx-1" });
      const checked = { type: "PEP", outcome: "POSITIVE", provider: "p", lists: [], timestamp };
      const fields = { ...checked, screening_id: "s-1", related_tx_id: "tx-1" };
      await addRecord(app, "own", { type: "screening", fields });
    });
    await own.ask("deletion hold screening s-1 --organization own --reason r");
    const asked = await own.ask("deletion request transaction tx-1 --organization own --reason r");
    const shown = await own.ask("deletion show", String(asked["deletion_request_id"]), officers);
    assert.deepEqual(shown["would_restrict"], {
      records: [
        { resource_type: "screening", resource_id: "s-1" },
        { resource_type: "transaction", resource_id: "tx-1" },
      ],
      reports: [],
      kept_until: null,
      held: true,
      complete: true,
    });
  });

  it("commands show them", async () => {
    const show = await line.ask("organization show acme --include-confidential");
    assert.deepEqual(show["records"], { customer_sar: 2, person: 1, transaction: 1 });
    const { holds } = await line.ask("deletion holds --include-confidential");
    assert.equal((holds as readonly unknown[]).length, 4);
    const { deletions: listed } = await line.ask("deletion list --include-confidential");
    assert.ok(JSON.stringify(listed).includes(kept.sar));
    const id = deletions.get("acme") ?? "";
    const restricted = await line.ask("deletion show --include-confidential", `restricted/${id}`);
    assert.equal(restricted["restricted_of"], "acme");
    const disclosed = await line.ask("receipt disclose --include-confidential", id);
    const { transaction_suspicious_activity: reports } = disclosed["disclosures"] as {
      transaction_suspicious_activity: { kept: { count: number } };
    };
    assert.equal(reports.kept.count, 1);
    // The restricted set is erased, and so is a report that waited for its own floor.
    const released = (holds as readonly Readonly<Record<string, unknown>>[])
      .filter((hold) => hold["restricted_by"] === id)
      .map((hold) => String(hold["hold_id"]));
    for (const hold of released) await line.ask("deletion release", hold);
    clock.advanceMs(100 * 86_400_000);
    await processAll(line);
    const receipts = async (...more: readonly string[]) => {
      const { out } = await line.type("receipt export --organization acme", ...more);
      return ndjsonOf(out).length;
    };
    assert.deepEqual([await receipts(), await receipts("--include-confidential")], [1, 3]);
    // A gap in the numbers would disclose what is not shown.
    const { out } = await line.type("receipt export --include-confidential");
    const numbers = ndjsonOf(out).map(({ receipt_no: no }) => Number(no));
    const chained = numbers.filter((no) => no > 0);
    assert.deepEqual(
      chained,
      [...chained.keys()].map((index) => index + 1),
    );
    assert.equal(numbers.length - chained.length, 2);
    assert.equal((await line.type("check")).code, 0);
  });
});

/** By which somebody could see whether everything of a closed organization is erased. */
const ofClosed: readonly ((id: string) => readonly string[])[] = [
  (id) => ["organization show", id],
  () => ["deletion list"],
  (id) => ["deletion list --organization", id],
  (id) => ["deletion holds --organization", id],
  (id) => ["receipt export --organization", id],
  (id) => ["retention preview --organization", id],
  (id) => ["subject show person p-1 --organization", id],
];

describe("a closed organization", () => {
  const time = makeFakeClock(Date.UTC(2026, 2, 1));
  const one = makeCommandLine({ now: time.now });

  async function show(id: string, words: readonly string[]): Promise<string> {
    const { code, out, err } = await one.type(...words);
    return `${code} ${withoutManifest(out)} ${err}`
      .replaceAll(id, "<one>")
      .replaceAll(/del_\w+/g, "<id>");
  }

  it("seems the same, whether or not a report keeps it from being erased", async () => {
    const ids: Record<string, string> = {};
    for (const id of ["kept-co", "none-co"]) {
      await one.ask("organization create --name Name --id", id);
      await one.ask("retention set --type customer_sar --keep-days 90 --organization", id);
      await one.beside(async (app) => {
        const person = { person_id: "p-1", is_test_user: false, is_retail_customer: true };
        await addRecord(app, id, { type: "person", fields: { ...person, timestamp } });
        const report = { sar_id: "s-1", status: "FILED", related_person_id: "p-2" };
        const seen = { ...report, timestamp: new Date(time.now()).toISOString() };
        if (id === "kept-co") await addRecord(app, id, { type: "customer_sar", fields: seen });
      });
      await one.ask("deletion request person p-1 --reason r --organization", id);
      const closed = await one.ask("organization close --yes --organization", id);
      ids[id] = String(closed["deletion_request_id"]);
    }
    for (let round = 0; round < 3; round += 1) {
      time.advanceMs(60_000);
      await processAll(one);
    }
    const statuses = [];
    for (const id of ["kept-co", "none-co"]) {
      const all = await one.ask("deletion show --include-confidential", ids[id] ?? "");
      statuses.push(all["status"]);
    }
    assert.deepEqual(statuses, ["pending", "completed"]);
    for (const wordsFor of [...ofClosed, (id: string) => ["deletion show", ids[id] ?? ""]]) {
      for (const json of [[], ["--json"]]) {
        const shown = await show("kept-co", [...wordsFor("kept-co"), ...json]);
        assert.equal(shown, await show("none-co", [...wordsFor("none-co"), ...json]));
      }
    }
    await one.beside(async ({ store }) => {
      const { byStatus, underFloor } = await store.deletionFigures(time.now());
      const none = { pending: 0, processing: 0, completed: 0, cancelled: 0 };
      assert.deepEqual({ byStatus, underFloor }, { byStatus: none, underFloor: 0 });
    });
  });
});
