// The passes of the scan for records that name erased parties: shared, interrupted, continued, and repeated.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type {
  NamingPage,
  NamingQuery,
  ScannedPage,
} from "../../../../src/store/interface/naming.ts";
import { scanForParties, type ScanSource } from "../../../../src/store/shared/party-scan.ts";
import { lockProcessing } from "../../../../src/store/sql/plan/erasure.ts";
import { readNamingPage } from "../../../../src/store/sql/retention/naming.ts";
import { findDeletionsOfParties, scanStep } from "../../../../src/store/sql/erase/parties.ts";
import { findLatestArrival } from "../../../../src/store/sql/record/record.ts";
import { Connection, transaction } from "../../../../src/store/sqlite/connection.ts";
import { acme, draftOf, keyOf, worker } from "../../../conformance/scene.ts";
import { atEnd } from "../../../support/at-end.ts";
import { makePlace } from "../../sqlite/place.ts";

const countries = { sender_country: "DE", receiver_country: "DE" };
const pageRecords = 1_000;

interface Scene {
  readonly connection: Connection;
  /** By person: its deletion, of which nothing but its name in transactions is left. */
  readonly ids: Readonly<Record<string, string>>;
  readonly source: ScanSource;
  /** The pages that were read: after which record, and for whom. */
  readonly pages: (readonly [after: string, parties: readonly string[]])[];
  /** Which transactions the plan of a deletion contains. */
  targetsOf(person: string): readonly string[];
  /** The next step of this kind fails. */
  failOnce(isFailing: (ids: readonly string[], page: ScannedPage | undefined) => boolean): void;
}

function idOf(index: number): string {
  return `t${String(index).padStart(6, "0")}`;
}

/**
 * Transactions of which some are sent by `p`, and the last one is received by `q`; each of these persons is deleted.
 */
async function makeScene(
  test: TestContext,
  records: number,
  { every = 100, persons = ["p", "q", "nobody"] } = {},
): Promise<Scene> {
  const place = makePlace(test);
  const store = await place.open();
  for (const person of persons) await store.add("person", person);
  const drafts = Array.from({ length: records }, (_, index) =>
    draftOf("transaction", idOf(index), {
      ...countries,
      sender_id: index % every === 0 ? "p" : "somebody",
      receiver_id: index === records - 1 ? "q" : "shop",
    }),
  );
  for (let at = 0; at < records; at += 500) await store.write(drafts.slice(at, at + 500));
  const ids: Record<string, string> = {};
  for (const person of persons) ids[person] = await store.request(keyOf("person", person));
  await store.claimDeletions({ now: worker.now, leaseUntil: worker.now, claimant: "c" }, 64);
  const connection = new Connection(place.path, { readOnly: false });
  atEnd(test, async () => connection.close());
  const pages: Scene["pages"] = [];
  let isFailing: Parameters<Scene["failOnce"]>[0] | undefined;
  const takeStep: ScanSource["takeStep"] = async (some, page) =>
    transaction(connection, () => {
      const deletions = connection.perform(lockProcessing, some).map(({ deletion }) => deletion);
      const step = connection.perform(scanStep, deletions, page, worker.now);
      if (isFailing?.(some, page) === true) throw new Error("the connection was lost");
      return step;
    });
  const readPage = async (query: NamingQuery): Promise<NamingPage> => {
    pages.push([query.after?.resourceId ?? "", query.parties]);
    return connection.perform(readNamingPage, query);
  };
  const source: ScanSource = {
    findDeletions: async (some) => connection.perform(findDeletionsOfParties, some),
    latestArrival: async () => connection.perform(findLatestArrival),
    readPage,
    takeStep,
  };
  const findTargets = `
    SELECT resource_id FROM deletion_target
    WHERE organization_id = ? AND deletion_request_id = ? AND action = 'redact'`;
  return {
    connection,
    ids,
    source,
    pages,
    targetsOf: (person) => {
      const rows = connection.all<{ resource_id: string }>(findTargets, acme, ids[person] ?? "");
      return rows.map((row) => row.resource_id);
    },
    failOnce: (next) => {
      isFailing = (some, page) => {
        if (!next(some, page)) return false;
        isFailing = undefined;
        return true;
      };
    },
  };
}

/** The results by person. */
async function scan({ ids, source }: Scene, persons = Object.keys(ids)) {
  const results = await scanForParties(
    persons.map((person) => ids[person] ?? ""),
    source,
  );
  return Object.fromEntries(persons.map((person) => [person, results.get(ids[person] ?? "")]));
}

const manyNumbers = `json_each('[${Array.from({ length: 24 }, (_, at) => at + 1).join()}]')`;

function progressOf({ connection, ids }: Scene, person: string) {
  return connection.get<object>(
    `SELECT pass_up_to AS upTo, pass_after AS after, pass_found AS found, verified_to AS verifiedTo
     FROM pseudonym WHERE deletion_request_id = ?`,
    ids[person] ?? "",
  );
}

describe("a scan for parties", () => {
  it("serves all deletions with one pass, and verifies those of which it finds nothing", async (test) => {
    const scene = await makeScene(test, 2_500);
    assert.deepEqual(await scan(scene), { p: "found", q: "found", nobody: "verified" });
    assert.equal(scene.pages.length, 3);
    assert.ok(scene.pages.every(([, parties]) => parties.toSorted().join() === "nobody,p,q"));
    assert.equal(scene.targetsOf("p").length, 25);
    assert.deepEqual(scene.targetsOf("q"), ["t002499"]);
    const none = { upTo: null, after: null, found: 0 };
    const verifiedTo = scene.connection.perform(findLatestArrival);
    assert.deepEqual({ ...progressOf(scene, "nobody") }, { ...none, verifiedTo });
    // The next pass begins at the first record.
    assert.deepEqual({ ...progressOf(scene, "p") }, { ...none, verifiedTo: null });
    // Of a deletion that is verified nothing is read.
    const before = scene.pages.length;
    assert.deepEqual(await scan(scene, ["nobody"]), { nobody: "verified" });
    assert.equal(scene.pages.length, before);
  });

  it("continues where it was when it has failed, although the page had many", async (test) => {
    const scene = await makeScene(test, 2 * pageRecords, { every: 1, persons: ["p"] });
    let steps = 0;
    // The second page is stored in several parts, and fails in the middle.
    scene.failOnce((_, page) => page !== undefined && (steps += 1) === 7);
    const { p } = await scan(scene);
    assert.ok(typeof p === "object" && p.cause instanceof Error);
    assert.equal(scene.targetsOf("p").length, 1_200);
    const upTo = scene.connection.perform(findLatestArrival);
    const after = `transaction/${idOf(pageRecords - 1)}`;
    assert.deepEqual({ ...progressOf(scene, "p") }, { upTo, after, found: 1, verifiedTo: null });
    const before = scene.pages.length;
    assert.deepEqual(await scan(scene), { p: "found" });
    assert.equal(scene.pages[before]?.[0], idOf(pageRecords - 1));
    assert.equal(new Set(scene.targetsOf("p")).size, 2 * pageRecords);
    assert.equal(scene.targetsOf("p").length, 2 * pageRecords);
  });

  it("reads a record with many changes in several pages, and finds it once", async (test) => {
    const scene = await makeScene(test, 2, { every: 1, persons: ["p"] });
    scene.connection.exec(`
      INSERT INTO change
      SELECT record_no, 1000 + json_each.value, received_at, reply_key,
        payload, NULL
      FROM record JOIN change USING (record_no) JOIN ${manyNumbers}
      WHERE resource_id = '${idOf(0)}'`);
    const query = { organizationId: acme, parties: ["p", "q"], changesMax: 10 };
    const found: string[] = [];
    let pages = 0;
    let after: NamingPage["last"];
    do {
      const page = scene.connection.perform(readNamingPage, { ...query, after });
      found.push(...page.namings.map((one) => `${one.resourceId} ${one.parties.join()}`));
      after = page.last;
      pages += 1;
      assert.equal(after?.changeNo !== undefined, pages < 3, String(pages));
    } while (after !== undefined && pages < 9);
    assert.deepEqual(found, [`${idOf(0)} p`, `${idOf(1)} p,q`]);
  });

  it("begins a common pass for deletions of which one has not come as far", async (test) => {
    const scene = await makeScene(test, 10);
    const pass = `UPDATE pseudonym SET pass_up_to = 5, pass_after = 'transaction/t000004'`;
    await scene.source.takeStep(Object.values(scene.ids), undefined);
    scene.connection.exec(`${pass} WHERE deletion_request_id = '${scene.ids["p"]}'`);
    assert.equal((await scan(scene, ["p", "nobody"]))["nobody"], "verified");
    assert.equal(scene.pages[0]?.[0], "");
    // All have come as far: the pass continues, and remembers what it has found.
    scene.connection.exec(
      `${pass}, verified_to = NULL, pass_found = deletion_request_id = '${scene.ids["nobody"]}'`,
    );
    const again = await scan(scene);
    assert.equal(scene.pages.at(-1)?.[0], "t000004");
    assert.deepEqual(again, { p: "verified", q: "found", nobody: "found" });
  });

  it("stops for a deletion that a hold prevents, and does not affect the others", async (test) => {
    const scene = await makeScene(test, 1_500, { every: 1_200 });
    const place = `INSERT INTO hold (hold_id, organization_id, resource_type, resource_id, reason, placed_at, placed_by)
      VALUES ('h', '${acme}', 'transaction', '${idOf(0)}', 'x', 0, 'x')`;
    scene.connection.exec(place);
    assert.deepEqual(await scan(scene), { p: "held", q: "found", nobody: "verified" });
    assert.deepEqual(
      scene.pages.map(([, parties]) => parties.toSorted()),
      [
        ["nobody", "p", "q"],
        ["nobody", "q"],
      ],
    );
  });

  it("is repeated for each deletion alone when it fails for several", async (test) => {
    const scene = await makeScene(test, 10);
    const { ids, source } = scene;
    const takeStep: ScanSource["takeStep"] = async (some, page) => {
      if (page !== undefined && some.includes(ids["q"] ?? "")) throw new Error("of q");
      return source.takeStep(some, page);
    };
    const results = await scan({ ...scene, source: { ...source, takeStep } });
    assert.deepEqual([results["p"], results["nobody"]], ["found", "verified"]);
    assert.ok(typeof results["q"] === "object");
  });
});
