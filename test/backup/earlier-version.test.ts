// A backup that an earlier version of Sluice made: restored, it has its records and holds, its deletions are replayed, and
// the check finds nothing.

import assert from "node:assert/strict";
import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { schemaVersion } from "../../src/store/sqlite/migration/migrate.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { addTransaction, deleteOne } from "../receipt/scene.ts";
import { makeCustomer } from "../support/customer.ts";
import { startServer } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { undoOperators } from "../support/undo-operators.ts";

/** Turns the tables of each version back into those of the version before, with their rows. */
const undo: Readonly<Record<number, string>> = {
  10: undoOperators,
  9: `
    DROP TABLE pseudonym; DROP INDEX change_later;
    ALTER TABLE organization DROP COLUMN erase_orphaned_transactions`,
  8: `
    DROP INDEX deletion_restricted;
    ALTER TABLE deletion DROP COLUMN restricted_of;
    ALTER TABLE deletion_target DROP COLUMN restricted;
    DROP TABLE restricted_reference`,
  7: `
    ALTER TABLE receipt_head DROP COLUMN salt_key;
    ALTER TABLE deletion DROP COLUMN kept; ALTER TABLE deletion DROP COLUMN redacted_by_type;
    ALTER TABLE organization DROP COLUMN confidential_types`,
  6: `
    ALTER TABLE organization DROP COLUMN closed_at;
    ALTER TABLE organization DROP COLUMN deletion_request_id`,
  5: `
    DROP INDEX deletion_floored;
    ALTER TABLE deletion DROP COLUMN floor_until;
    DROP TABLE retention_floor`,
  4: `
    DROP INDEX change_by_digest;
    ALTER TABLE change DROP COLUMN digest`,
  3: `
    DROP TABLE audit_head; DROP TABLE restore; DROP TABLE replay_entry; DROP TABLE ledger;
    ALTER TABLE hold RENAME TO later_hold;
    CREATE TABLE hold (
      organization_id TEXT NOT NULL,
      resource_type TEXT NOT NULL,
      resource_id TEXT NOT NULL,
      reason TEXT NOT NULL,
      placed_at INTEGER NOT NULL,
      placed_by TEXT NOT NULL,
      PRIMARY KEY (organization_id, resource_type, resource_id)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO hold
    SELECT organization_id, resource_type, resource_id, reason, placed_at, placed_by FROM later_hold;
    DROP TABLE later_hold`,
};

function downgrade(file: string, version: number): void {
  const database = new DatabaseSync(file);
  try {
    for (let from = schemaVersion; from > version; from -= 1) {
      const statements = undo[from];
      assert.ok(statements !== undefined, `say here how schema version ${from} is undone`);
      database.exec(statements);
    }
    database.exec(`UPDATE meta SET value = ${version} WHERE name = 'schema_version'`);
  } finally {
    database.close();
  }
}

describe("a backup of an earlier version", () => {
  for (const version of [2, 3]) {
    it(`is restored from schema version ${version}`, async (test) => {
      const [folder, apart] = [makeTempFolder(), makeTempFolder()];
      const line = makeCommandLine({ folder });
      const server = await startServer({ folder });
      test.after(() => server.stop().catch(() => undefined));
      const acme = await server.operate((app) => makeCustomer(app, server.client));
      for (const id of ["stays", "held"]) await addTransaction(server.client, acme, id);
      // Before version 3 a hold had no id, by which the ledger could tell that it is the same one.
      if (version > 2) {
        const why = ["--organization", acme.organizationId, "--reason", "court order"];
        await line.ask("deletion hold", "transaction", "held", ...why);
      }
      const file = join(apart, "backup.db");
      await line.ask("backup", file);
      await deleteOne(server.client, acme, "gone");
      const { out: receipts } = await line.type("receipt export --include-confidential");
      await server.stop();
      assert.equal(receipts.trim().split("\n").length, 1);
      downgrade(file, version);

      await line.ask("restore", file, "--replace");
      const restored = await startServer({ folder });
      test.after(() => restored.stop());
      const statusOf = async (id: string) => {
        const path = `/v2/transaction?tx_id=${id}`;
        return (await restored.client.send({ method: "GET", path, token: acme.token })).status;
      };
      assert.deepEqual(
        [await statusOf("stays"), await statusOf("held"), await statusOf("gone")],
        [200, 200, 404],
      );
      const { holds } = (await line.ask("deletion holds")) as { holds: { reason: string }[] };
      assert.deepEqual(
        holds.map(({ reason }) => reason),
        version === 2 ? [] : ["court order"],
      );
      assert.equal((await line.ask("check"))["ok"], true);
    });
  }
});

describe("a store of an earlier version, before it is served", () => {
  for (const isRestored of [false, true]) {
    const how = isRestored ? "is restored" : "is upgraded in place";
    it(`passes the check with a hold that has no audit entry, where it ${how}`, async (test) => {
      const [folder, apart] = [makeTempFolder(), makeTempFolder()];
      const line = makeCommandLine({ folder });
      const server = await startServer({ folder });
      test.after(() => server.stop().catch(() => undefined));
      const acme = await server.operate((app) => makeCustomer(app, server.client));
      await addTransaction(server.client, acme, "held");
      await server.stop();
      const why = ["--organization", acme.organizationId, "--reason", "asked"];
      const requested = await line.ask("deletion request transaction held", ...why);
      const store = join(folder, "sluice.db");
      downgrade(store, 2);
      const database = new DatabaseSync(store);
      database.exec(`INSERT INTO hold VALUES
        ('${acme.organizationId}', 'transaction', 'held', 'court order', 1000, 'zoe')`);
      database.close();
      const ledger = readdirSync(folder).find((name) => name.endsWith(".ndjson")) ?? "";
      if (isRestored) {
        const file = join(apart, "backup.db");
        renameSync(store, file);
        await line.ask("restore", file);
      } else {
        // An earlier version noted only deletions.
        const noted = {
          organization_id: acme.organizationId,
          deletion_request_id: requested["deletion_request_id"],
          resource_type: "transaction",
          resource_id: "held",
          requested_by: acme.keyId,
          requested_at: new Date(0).toISOString(),
        };
        writeFileSync(join(folder, ledger), `${JSON.stringify(noted)}\n`);
      }
      const { holds } = (await line.ask("deletion holds")) as { holds: { reason: string }[] };
      assert.equal(holds.length, 1);
      const { code, out, err } = await line.type("check");
      assert.equal(code, 0, out + err);
    });
  }
});
