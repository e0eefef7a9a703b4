// What `check` reports for single alterations, on both engines; the campaign in this folder tries
// many more on one of them.

import assert from "node:assert/strict";
import { cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, describe, it } from "node:test";
import { type CommandLine, makeCommandLine } from "../cli/command-line.ts";
import { addTransaction, deleteOne } from "../receipt/scene.ts";
import { makeCustomer } from "../support/customer.ts";
import { usePostgres } from "../support/postgres/postgres-server.ts";
import { type Server, startServer } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";

type Environment = Readonly<Record<string, string>>;

interface Copy {
  readonly folder: string;
  readonly environment: Environment;
  readonly exec: (sql: string) => Promise<void>;
}

/** Completed deletions, one that waits for a hold, two that await an approval, and two holds. */
async function fill(folder: string, environment: Environment): Promise<void> {
  const server = await startServer({ folder, environment });
  const acme = await server.operate((app) =>
    makeCustomer(app, server.client, { organizationId: "acme" }),
  );
  const line = makeCommandLine({ folder, environment });
  await addTransaction(server.client, acme, "held");
  for (const reason of ["one", "two"]) {
    await line.ask("deletion hold transaction held --organization acme --reason", reason);
  }
  await line.ask("deletion request transaction held --organization acme --reason asked");
  for (const id of ["a", "b"]) await deleteOne(server.client, acme, id);
  await line.ask("organization set acme --deletion-approval on");
  await addTransaction(server.client, acme, "asked");
  await line.ask("deletion request transaction asked --organization acme --reason asked");
  await closeUnapproved(server, line);
  await line.ask("operator create ada --role administrator");
  await line.ask("operator create otto --role officer --as ada");
  await line.ask("operator create olga --role officer --role operator");
  await line.type("organization set acme --retain-days 30 --yes --as olga");
  await addTransaction(server.client, acme, "named");
  await line.ask("deletion request transaction named --organization acme --reason r --as olga");
  await server.stop();
}

/** A deletion that awaits an approval in vain: its organization is erased. */
async function closeUnapproved(server: Server, line: CommandLine): Promise<void> {
  const left = await server.operate((app) =>
    makeCustomer(app, server.client, { organizationId: "left", deletionApproval: true }),
  );
  await addTransaction(server.client, left, "asked");
  const request = await line.ask(
    "deletion request transaction asked --organization left --reason asked",
  );
  await line.ask("organization set left --deletion-approval off");
  const closed = await line.ask("organization close --organization left --yes");
  for (const { deletion_request_id: id } of [request, closed]) {
    await waitFor("the deletion to be completed", async () => {
      const { status } = await line.ask("deletion show --include-confidential", String(id));
      return status === "completed";
    });
  }
}

const last = (table: string, key: string) =>
  `DELETE FROM ${table} WHERE ${key} = (SELECT max(${key}) FROM ${table})`;
const oneCompleted = `deletion_request_id = (SELECT min(deletion_request_id) FROM deletion WHERE organization_id = 'acme' AND status = 'completed')`;
const unapproved = "status = 'pending' AND approval_requester IS NOT NULL";
const oneHold = `hold_id = (SELECT min(hold_id) FROM hold)`;

const alterations: readonly (readonly [sql: string, says: RegExp])[] = [
  [last("audit_entry", "entry_no"), /The audit chain ends at entry \d+, and should at \d+/],
  [last("receipt", "receipt_no"), /The chain of receipts ends at receipt 2, and should at 3/],
  ["UPDATE audit_head SET entry_no = entry_no + 1", /The audit chain ends at/],
  ["UPDATE receipt_head SET receipt_no = 7", /The chain of receipts ends at receipt 3/],
  [`UPDATE deletion SET reason = 'x' WHERE ${oneCompleted}`, /differs in reason/],
  [`UPDATE deletion SET erased = '{}' WHERE ${oneCompleted}`, /differs in counts/],
  [`UPDATE deletion SET kept = '{"person":1}' WHERE ${oneCompleted}`, /differs in counts/],
  ["UPDATE receipt_head SET salt_key = salt_key || 'x'", /differs in counts/],
  [
    `UPDATE deletion SET completed_at = completed_at + 1 WHERE ${oneCompleted}`,
    /differs in completed_at/,
  ],
  [`UPDATE deletion SET status = 'pending' WHERE ${oneCompleted}`, /was completed, but is pending/],
  [
    `DELETE FROM deletion WHERE ${oneCompleted}`,
    /Receipt \d: its deletion del_\w+ is not in the store/,
  ],
  ["DELETE FROM deletion WHERE status = 'pending'", /is in the audit trail, but not in the store/],
  ["UPDATE deletion SET reason = 'x' WHERE status = 'pending'", /is not what was requested/],
  [
    "UPDATE deletion SET status = 'cancelled' WHERE status = 'pending'",
    /is cancelled in the store, but not in the audit trail/,
  ],
  [
    "UPDATE deletion SET approval_requester = 'x', approved_by = 'y', approved_at = 1 WHERE status = 'pending'",
    /is approved in the store, but not in the audit trail/,
  ],
  [
    `UPDATE deletion SET approval_requester = NULL WHERE ${unapproved}`,
    /needs another approval than was requested/,
  ],
  [
    `UPDATE deletion SET approval_requester = 'x' WHERE ${unapproved}`,
    /needs another approval than was requested/,
  ],
  [
    "UPDATE deletion SET approval_requester = 'x' WHERE status = 'pending' AND approval_requester IS NULL",
    /needs another approval than was requested/,
  ],
  ["UPDATE deletion SET requester = 'x'", /has another requester/],
  ["UPDATE deletion SET requester = NULL", /has another requester/],
  [`UPDATE deletion SET approved_by = 'x' WHERE ${unapproved}`, /an approval .* or part of one/],
  [`UPDATE deletion SET approved_at = 5 WHERE ${oneCompleted}`, /an approval .* or part of one/],
  [
    `UPDATE hold SET owner = 'x' WHERE ${oneHold}`,
    /Hold hold_\w+ differs from the hold that was placed/,
  ],
  [`DELETE FROM hold WHERE ${oneHold}`, /Hold hold_\w+ is in force in the audit trail, but not/],
  [
    "UPDATE receipt_key SET created_at = created_at + 1",
    /key \S+ of receipts differs from the one in the audit/,
  ],
  [
    "UPDATE organization SET deletion_approval = NOT deletion_approval",
    /deletionApproval of acme differs/,
  ],
  [
    "UPDATE organization SET retain_days = 1 WHERE organization_id = 'acme'",
    /retainDays of acme differs/,
  ],
  [
    `UPDATE organization SET confidential_types = '["person"]' WHERE organization_id = 'acme'`,
    /confidentialTypes of acme differs/,
  ],
  [
    "UPDATE organization SET name = 'Other' WHERE organization_id = 'acme'",
    /setting name of acme differs/,
  ],
  ["DELETE FROM organization WHERE organization_id = 'left'", /setting name of left differs/],
  [
    `UPDATE operator SET roles = '["administrator"]' WHERE name = 'otto'`,
    /list of roles of operator otto differs/,
  ],
  [
    "UPDATE operator SET unconfirmed_since = NULL, unconfirmed_by = NULL",
    /missing confirmation of operator otto differs/,
  ],
  ["UPDATE operator SET subject = 'x' WHERE name = 'otto'", /half of an identity: otto/],
  ["DELETE FROM operator WHERE name = 'ada'", /list of roles of operator ada differs/],
  [
    "UPDATE proposal SET status = 'approved', decided_by = 'otto', decided_at = 1",
    /decision on proposal \w+ differs/,
  ],
  ["UPDATE proposal SET parameters = '{}'", /The proposal \w+ differs/],
  ["UPDATE receipt SET organization_id = 'x' WHERE receipt_no = 1", /Receipt 1 was altered/],
  ["UPDATE ledger SET digest = 'x'", /differs from what the store knows of it up to byte/],
  [
    "UPDATE audit_entry SET detail = '{' WHERE entry_no = 3",
    /The audit chain is broken at entry 3/,
  ],
  ["UPDATE deletion SET erased = '{'", /could not be checked completely/],
];

function check({ folder, environment }: Copy) {
  return makeCommandLine({ folder, environment }).type("check");
}

/** What each engine reads itself, of both chains, their heads and the ledger; the rest compares what was read. */
const ofEngines = /chain|Receipt 1|up to byte|checked completely|not in the store/;

function testCheck(engine: string, copy: () => Promise<Copy>): void {
  describe(`check on ${engine}`, () => {
    it("finds nothing in an unaltered store", async () => {
      const { code, out } = await check(await copy());
      assert.deepEqual([code, out], [0, "Nothing was found; the store is consistent.\n"]);
    });

    for (const [sql, says] of alterations) {
      if (engine !== "SQLite" && !ofEngines.test(says.source)) continue;
      it(`finds: ${sql}`, async () => {
        const altered = await copy();
        await altered.exec(sql);
        const { code, out, err } = await check(altered);
        assert.equal(code, err === "" ? 3 : 1);
        // A store that lacks what the ledger knows is not even opened.
        assert.match(out + err, new RegExp(`${says.source}|lacks entries that its ledger`));
      });
    }

    // PostgreSQL has a type for them.
    if (engine === "SQLite") {
      it("finds a flag that is neither 0 nor 1", async () => {
        const altered = await copy();
        await altered.exec(
          "PRAGMA ignore_check_constraints = ON; UPDATE organization SET deletion_approval = 2 WHERE deletion_approval = 1",
        );
        const { code, out } = await check(altered);
        assert.equal(code, 3);
        assert.match(out, /CHECK constraint failed in organization/);
      });
    }

    it("finds that the ledger is missing or replaced", async () => {
      const altered = await copy();
      const name = readdirSync(altered.folder).find((one) => one.endsWith(".ndjson")) ?? "";
      rmSync(join(altered.folder, name));
      const gone = await check(altered);
      if (engine === "SQLite") assert.match(gone.out, /There is no ledger .*, but there was one/);
      else assert.match(gone.out, /checks that need it were skipped/);
      writeFileSync(join(altered.folder, name), "no ledger at all\n".repeat(9));
      const other = await check(altered);
      assert.equal(other.code, 1);
      assert.match(other.err, /differs from what the store knows of it/);
    });
  });
}

describe("on SQLite", () => {
  const consistent = makeTempFolder();
  before(() => fill(consistent, {}));

  testCheck("SQLite", async () => {
    const folder = makeTempFolder();
    cpSync(consistent, folder, { recursive: true });
    return {
      folder,
      environment: {},
      exec: async (sql) => {
        const database = new DatabaseSync(join(folder, "sluice.db"), { defensive: false });
        database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
        database.close();
      },
    };
  });
});

const server = await usePostgres();
const url = await server.makeDatabase();

describe("on PostgreSQL", () => {
  const consistent = makeTempFolder();
  before(() => fill(consistent, { DATABASE_URL: url }));

  testCheck("PostgreSQL", async () => {
    const folder = makeTempFolder();
    cpSync(consistent, folder, { recursive: true });
    const copied = await server.makeDatabase({ template: new URL(url).pathname.slice(1) });
    return {
      folder,
      environment: { DATABASE_URL: copied },
      exec: async (sql) => void (await server.query(sql, copied)),
    };
  });
});
