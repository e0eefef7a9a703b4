// Two hosts with a ledger each serve a PostgreSQL store, which is put back to an earlier state. One host replays the
// deletions; the other one continues from there, and the check of both passes.

import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeCommandLine } from "../cli/command-line.ts";
import { addTransaction, awaitCompletion, requestDeletion } from "../receipt/scene.ts";
import { makeCustomer } from "../support/customer.ts";
import { usePostgres } from "../support/postgres/postgres-server.ts";
import { startServer } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const postgres = await usePostgres();

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** The folders of two hosts with the same key, and their database with a copy from before a deletion. */
async function play({ isIdle }: { readonly isIdle: boolean }) {
  const [first, second] = [makeTempFolder(), makeTempFolder()];
  const url = await postgres.makeDatabase();
  const environment = { DATABASE_URL: url };
  const one = await startServer({ folder: first, environment });
  const acme = await one.operate((app) => makeCustomer(app, one.client));
  await addTransaction(one.client, acme, "gone");
  await one.stop();
  copyFileSync(join(first, "receipt-key.pem"), join(second, "receipt-key.pem"));
  await (await startServer({ folder: second, environment })).stop();
  const earlier = await postgres.makeDatabase({ template: nameOf(url) });
  const other = isIdle ? undefined : await startServer({ folder: second, environment });
  const again = await startServer({ folder: first, environment });
  await awaitCompletion(again.client, acme, await requestDeletion(again.client, acme, "gone"));
  await again.stop();
  await other?.stop();
  return { first, second, acme, restored: { DATABASE_URL: earlier } };
}

for (const isIdle of [false, true]) {
  describe(`a host that ${isIdle ? "was stopped before" : "knows"} what a restore has lost`, () => {
    it("continues after another host has replayed it", async () => {
      const { first, second, acme, restored: environment } = await play({ isIdle });
      const [own, other] = [first, second].map((folder) =>
        makeCommandLine({ folder, environment }),
      );
      assert.ok(own && other);
      assert.equal((await own.type("deletion replay --restored")).code, 0);
      for (const folder of [second, first]) {
        const server = await startServer({ folder, environment });
        const path = "/v2/transaction?tx_id=gone";
        const reply = await server.client.send({ method: "GET", path, token: acme.token });
        assert.equal(reply.status, 404);
        await server.stop();
      }
      for (const line of [own, other]) assert.equal((await line.ask("check"))["ok"], true);
      assert.deepEqual((await other.ask("deletion replay"))["carried_out"], []);

      const template = nameOf(environment.DATABASE_URL);
      const earlier = { DATABASE_URL: await postgres.makeDatabase({ template }) };
      const server = await startServer({ folder: second, environment });
      await addTransaction(server.client, acme, "later");
      const id = await requestDeletion(server.client, acme, "later");
      await awaitCompletion(server.client, acme, id);
      await server.stop();
      await assert.rejects(
        startServer({ folder: second, environment: earlier }),
        /lacks entries that its ledger/,
      );
    });
  });
}
