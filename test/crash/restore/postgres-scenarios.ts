// The commands on PostgreSQL that are killed at each of their steps and messages, and what has to
// hold after each kill.

import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../../src/store/open-store.ts";
import { StoreError } from "../../../src/store/interface/store-error.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import type { PostgresServer } from "../../support/postgres/postgres-server.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import {
  makeScene,
  type Place,
  placeIn,
  requireErasedUnreadable,
  requireWhole,
  type Scenario,
} from "./scene.ts";
import { copySite } from "./sqlite-scenarios.ts";

/** A scene on the server: its folders, and the database as it was in the middle. */
export async function makePostgresScene(server: PostgresServer, site: string): Promise<string> {
  const url = await server.makeDatabase();
  let before = "";
  await makeScene(placeIn(site, { DATABASE_URL: url }), async () => {
    before = await server.makeDatabase({ template: nameOf(url) });
  });
  return before;
}

/** `before`: the database of an earlier moment, as an operator restores it. */
export function replayOnPostgres(server: PostgresServer, site: string, before: string): Scenario {
  return {
    messages: true,
    async copy() {
      const root = makeTempFolder();
      cpSync(site, join(root, "site"), { recursive: true });
      const url = await server.makeDatabase({ template: nameOf(before) });
      return {
        place: placeIn(join(root, "site"), { DATABASE_URL: url }),
        async remove() {
          await server.dropDatabase(url);
          removeFolder(root);
        },
      };
    },
    words: ({ receipts }) => ["deletion", "replay", "--ledger", receipts],
    async verify(place) {
      await requireErasedUnreadable(place);
      await requireWhole(place, true);
    },
  };
}

/** `site`: the root of a scene on the embedded store. */
export function moveToPostgres(server: PostgresServer, site: string): Scenario {
  const targets = new Map<Place, string>();
  const targetOf = (place: Place) => targets.get(place) ?? "";
  return {
    messages: true,
    async copy() {
      const { place, remove } = copySite(site);
      const target = await server.makeDatabase();
      targets.set(place, target);
      return {
        place,
        async remove() {
          await server.dropDatabase(target);
          await remove();
        },
      };
    },
    words: (place) => ["move", "--to", targetOf(place)],
    async verify(place, killed) {
      const target = targetOf(place);
      const line = makeCommandLine({ folder: place.data, environment: place.environment });
      if (killed && !(await isMoved(target))) {
        const owner = new URL(target).username;
        const empty = `DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION ${owner}`;
        await server.query(empty, target);
        await line.ask("move", "--to", target);
      }
      const onServer = makeCommandLine({
        folder: place.data,
        environment: { DATABASE_URL: target },
      });
      // Nobody can use the target and not know that the embedded store was moved.
      assert.match((await line.fail("organization list")).message, /was moved to postgres:/);
      rmSync(join(place.data, "sluice.db.moved"));
      for (const words of ["deletion holds", "deletion list", "organization show acme"]) {
        assert.deepEqual(await onServer.ask(words), await line.ask(words), words);
      }
      const store = await openStore(target, { role: "command" });
      assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
      await store.close();
      await requireWhole(place, false);
    },
  };
}

/** An unfinished target is rejected, or empty. */
async function isMoved(target: string): Promise<boolean> {
  try {
    const store = await openStore(target, { role: "command" });
    try {
      return (await store.listOrganizations()).length > 0;
    } finally {
      await store.close();
    }
  } catch (error) {
    assert.ok(error instanceof StoreError, String(error));
    assert.match(error.message, /not finished/);
    return false;
  }
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
