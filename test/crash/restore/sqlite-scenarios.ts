// The commands on the embedded store that are killed at each of their steps, and what has to hold
// after each kill.

import assert from "node:assert/strict";
import { copyFileSync, cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import {
  type Copy,
  isRestored,
  lineOf,
  type Place,
  placeIn,
  requireErasedUnreadable,
  requireNoLeftovers,
  requireWhole,
  type Scenario,
} from "./scene.ts";
import { openTestStore } from "../../support/test-store.ts";

export function copySite(site: string): Copy {
  const root = makeTempFolder();
  cpSync(site, join(root, "site"), { recursive: true });
  return { place: placeIn(join(root, "site")), remove: () => removeFolder(root) };
}

/** `site`: the root of a scene. */
export function sqliteScenarios(site: string): Readonly<Record<string, Scenario>> {
  const copy = (prepare: (place: Place) => void) => async () => {
    const made = copySite(site);
    prepare(made.place);
    return made;
  };
  return {
    restore: {
      copy: copy(() => undefined),
      words: ({ backup, receipts }) => ["restore", backup, "--replace", "--ledger", receipts],
      verify: verifyRestore,
    },
    "restore on another host": {
      copy: copy(forgetStore),
      words: ({ backup, receipts }) => ["restore", backup, "--ledger", receipts],
      verify: verifyElsewhere,
    },
    replay: {
      // As an operator would who copies the file back by hand.
      copy: copy(({ backup, data }) => copyFileSync(backup, join(data, "sluice.db"))),
      words: ({ receipts }) => ["deletion", "replay", "--ledger", receipts],
      verify: async (place) => {
        await requireErasedUnreadable(place);
        await requireWhole(place, true);
      },
    },
    backup: {
      copy: copy(() => undefined),
      words: ({ apart }) => ["backup", join(apart, "another.db")],
      verify: verifyBackup,
    },
  };
}

async function verifyRestore(place: Place, killed: boolean): Promise<void> {
  await requireErasedUnreadable(place);
  await requireWhole(place, killed ? undefined : true);
  if (await isRestored(place)) return;
  // It had not finished; running the same command again finishes it.
  await lineOf(place).ask("restore", place.backup, "--replace");
  await requireWhole(place, true);
}

/** Neither store nor ledger exists: receipts tell what has to be erased again. */
function forgetStore({ data }: Place): void {
  for (const name of readdirSync(data)) {
    if (/^(?:sluice|deletion-ledger)/.test(name)) rmSync(join(data, name));
  }
}

/**
 * The holds were in the lost ledger, so the only requirement is that nothing erased is readable.
 */
async function verifyElsewhere(place: Place): Promise<void> {
  if (!existsSync(join(place.data, "sluice.db"))) return;
  await requireErasedUnreadable(place);
  assert.equal((await lineOf(place).type("deletion replay")).code, 0);
  await requireErasedUnreadable(place);
  assert.equal((await lineOf(place).type("check --erasure")).code, 0);
}

async function verifyBackup(place: Place, killed: boolean): Promise<void> {
  const another = join(place.apart, "another.db");
  // Any command cleans up.
  assert.equal((await lineOf(place).type("check")).code, 0);
  requireNoLeftovers(place);
  if (existsSync(another)) {
    const store = await openTestStore(`sqlite:${another}`, { role: "command" });
    assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
    await store.close();
  } else {
    assert.ok(killed);
  }
  await requireWhole(place, false);
}
