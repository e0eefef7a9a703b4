// The checks after a crash can fail: they report every manual alteration of a store.

import assert from "node:assert/strict";
import { copyFileSync, existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { operate } from "../support/server.ts";
import { removeFolder } from "../support/temp-folder.ts";
import { addList, addOne, addStream } from "./acts-add.ts";
import { askDeletion } from "./acts-delete.ts";
import { updateOne } from "./acts-update.ts";
import { checkExistence } from "./check-existence.ts";
import { compare, type FindingKind } from "./compare.ts";
import { makeTransactionFamily } from "./families.ts";
import type { SentChange, SentRecord, Standing } from "./ledger.ts";
import { awaitDeletions, checkDeletions } from "./recover.ts";
import { makeSqliteSite, type SqliteSite, startOn } from "./sqlite/site.ts";
import { readStored } from "./stored.ts";

type Tamper = (database: DatabaseSync) => void;

describe("the checks after a crash", () => {
  let site: SqliteSite;
  let copies = 0;

  before(async () => {
    site = await makeSqliteSite(11);
    for (const sender of site.senders) {
      for (let round = 0; round < 6; round += 1) await addOne(sender);
      for (let round = 0; round < 6; round += 1) await updateOne(sender);
      await addList(sender);
      await addStream(sender);
      await makeTransactionFamily(sender);
      await askDeletion(sender);
      await awaitDeletions(sender);
    }
    await site.server?.process.end("SIGTERM");
  });

  after(() => {
    for (const { client } of site.senders) client.close();
    removeFolder(site.folder);
  });

  /** An altered copy of the store. */
  function tampered(tamper: Tamper): string {
    const path = `${site.folder}/copy-${(copies += 1)}.db`;
    for (const end of ["", "-wal"]) {
      if (existsSync(site.databasePath + end)) copyFileSync(site.databasePath + end, path + end);
    }
    const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    tamper(database);
    database.close();
    return path;
  }

  function complaints(tamper: Tamper): FindingKind[] {
    return [
      ...new Set(compare(site.ledger, readStored(tampered(tamper))).map(({ kind }) => kind)),
    ].sort();
  }

  function someRecord(fits: (record: SentRecord) => boolean): SentRecord {
    return [...site.ledger.records.values()].find(fits) ?? assert.fail("there is no such record");
  }

  it("find nothing in a correct store", async () => {
    assert.deepEqual(
      complaints(() => undefined),
      [],
    );
    await operate(site.environment, (app) => checkDeletions(app, site.ledger));
    assert.deepEqual(site.ledger.findings, []);
  });

  /** Each alters a record that has this many stored changes; `NO` is its number. */
  const alterations: readonly (readonly [
    what: string,
    stored: number,
    statements: readonly string[],
    kinds: readonly FindingKind[],
  ])[] = [
    [
      "a missing change",
      2,
      [
        `DELETE FROM change WHERE change_no = (SELECT max(change_no) FROM change WHERE record_no = NO)`,
      ],
      ["lost", "times"],
    ],
    [
      "a record that is missing with its changes",
      1,
      ["DELETE FROM change WHERE record_no = NO", "DELETE FROM record WHERE record_no = NO"],
      ["lost"],
    ],
    [
      "a duplicate change",
      1,
      [
        `INSERT INTO change SELECT record_no, change_no + 1000000, received_at, reply_key, payload, 0
         FROM change WHERE record_no = NO`,
      ],
      ["twice"],
    ],
    [
      "an altered change",
      1,
      ["UPDATE change SET payload = replace(payload, 'STRING', 'NUMBER') WHERE record_no = NO"],
      ["lost", "never sent", "times"],
    ],
    [
      "a truncated change",
      1,
      ["UPDATE change SET payload = substr(payload, 1, 40) WHERE record_no = NO"],
      ["lost", "never sent", "times"],
    ],
    [
      "a record that nobody sent",
      1,
      [
        "INSERT INTO record VALUES ('o', 'person', 'unexpected', 9999999, '2026', '2026')",
        "INSERT INTO change VALUES (9999999, 9999999, 0, NULL, '{}', NULL)",
      ],
      ["never sent"],
    ],
    [
      "changes in another order",
      2,
      [
        `UPDATE change SET change_no = 9999999
         WHERE change_no = (SELECT min(change_no) FROM change WHERE record_no = NO)`,
      ],
      ["order"],
    ],
    ...["first_seen", "last_seen"].map(
      (field) =>
        [
          `${field} that does not match the changes`,
          1,
          [`UPDATE record SET ${field} = '2030-01-01T00:00:00' WHERE record_no = NO`],
          ["times"],
        ] as const,
    ),
    [
      "changes without a record",
      1,
      ["DELETE FROM record WHERE record_no = NO"],
      ["integrity", "lost"],
    ],
  ];
  for (const [what, stored, statements, kinds] of alterations) {
    it(`report ${what}`, () => {
      const number = `(${numberOf(someRecord((one) => count(one, "stored") === stored))})`;
      const found = complaints((database) => {
        const sql = statements.map((statement) =>
          statement.replaceAll("NO)", `${number})`).replace(/NO$/, number),
        );
        for (const one of sql) run(database, one);
      });
      assert.deepEqual(found, kinds);
    });
  }

  it("report erased data that exists again", () => {
    const record = someRecord((one) => count(one, "erased") > 0 && count(one, "stored") === 0);
    const erased = record.changes.find(({ standing }) => standing === "erased");
    const kinds = complaints((database) => addRow(database, record, erased));
    assert.deepEqual(kinds, ["unwanted"]);
  });

  it("report refused data that exists", () => {
    const record = someRecord((one) => count(one, "absent") > 0 && count(one, "stored") === 0);
    const refused = { ...record.changes[0], moment: "2026-01-01T00:00:00" } as SentChange;
    const kinds = complaints((database) => addRow(database, record, refused));
    assert.ok(kinds.includes("unwanted"), kinds.join());
  });

  it("report an unanswered list that is stored in part", () => {
    const list = site.ledger.recent.find(({ atomic, changes }) => atomic && changes.length > 2);
    const [first] = list?.changes ?? [];
    assert.ok(list !== undefined && first !== undefined);
    const { answer } = list;
    list.answer = undefined;
    for (const change of list.changes) if (change !== undefined) change.standing = "unknown";
    const kinds = complaints((database) => {
      run(database, `DELETE FROM change WHERE record_no = (${numberOf(first.record)})`);
      run(database, `DELETE FROM record WHERE record_no = (${numberOf(first.record)})`);
    });
    for (const change of list.changes) if (change !== undefined) change.standing = "stored";
    list.answer = answer;
    assert.ok(kinds.includes("half"), kinds.join());
  });

  it("report a deletion that was completed twice, or is missing", async () => {
    for (const tamper of [
      `INSERT INTO audit_entry SELECT entry_no + 1000000, at, actor, action, organization_id, subject,
        detail, previous_hash, hash FROM audit_entry WHERE action = 'deletion.complete'`,
      `DELETE FROM deletion`,
    ]) {
      const path = tampered((database) => run(database, tamper));
      const environment = { ...site.environment, DATABASE_URL: `sqlite:${path}` };
      await operate(environment, (app) => checkDeletions(app, site.ledger));
      assert.ok(site.ledger.findings.length > 0, tamper);
      site.ledger.findings.length = 0;
    }
  });

  it("report a server that does not know a record, or knows an erased one", async () => {
    const server = await startOn(site);
    const record = someRecord((one) => count(one, "stored") === 1);
    const gone = someRecord((one) => count(one, "erased") > 0 && count(one, "stored") === 0);
    await checkExistence(site.senders, [record, gone]);
    assert.deepEqual(site.ledger.findings, []);
    const unknown = { ...record, id: "unknown" };
    const there = { ...record, changes: gone.changes };
    await checkExistence(site.senders, [unknown, there]);
    assert.equal(site.ledger.findings.length, 2);
    site.ledger.findings.length = 0;
    await server.process.end("SIGTERM");
  });
});

function count(record: SentRecord, standing: Standing): number {
  return record.changes.filter((change) => change.standing === standing).length;
}

function run(database: DatabaseSync, sql: string): void {
  const { changes } = database.prepare(sql).run();
  assert.ok(Number(changes) > 0, `${sql} altered nothing`);
}

function numberOf({ organizationId, type, id }: SentRecord): string {
  return `SELECT record_no FROM record WHERE organization_id = '${organizationId}'
    AND resource_type = '${type.resourceType}' AND resource_id = '${id.replaceAll("'", "''")}'`;
}

function addRow(database: DatabaseSync, record: SentRecord, change: SentChange | undefined): void {
  const { organizationId, type, id } = record;
  const moment = change?.moment ?? "";
  const text = change?.texts.at(-1) ?? "";
  database
    .prepare(`INSERT INTO record VALUES (?, ?, ?, 8888888, ?, ?)`)
    .run(organizationId, type.resourceType, id, moment, moment);
  database.prepare(`INSERT INTO change VALUES (8888888, 8888888, 0, NULL, ?, NULL)`).run(text);
}
