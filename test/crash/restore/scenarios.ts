// The commands that are killed at each of their steps, and what has to be so after each kill.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../../src/store/open-store.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import {
  isRestored,
  type Place,
  requireErasedUnreadable,
  requireNoLeftovers,
  requireWhole,
} from "./scene.ts";

export interface Scenario {
  readonly words: (place: Place) => readonly string[];
  /** Makes of the scene what the command finds. */
  readonly prepare?: (place: Place) => Promise<void> | void;
  /** After a kill, or, with `killed` false, after the command has come to its end. */
  readonly verify: (place: Place, killed: boolean) => Promise<void>;
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  restore: {
    words: ({ backup, receipts }) => ["restore", backup, "--replace", "--ledger", receipts],
    verify: async (place, killed) => {
      await requireErasedUnreadable(place);
      await requireWhole(place, killed ? undefined : true);
      if (await isRestored(place)) return;
      // It had not come to its end; the same command does what it was to do.
      await makeCommandLine({ folder: place.data, environment: place.environment }).ask(
        "restore",
        place.backup,
        "--replace",
      );
      await requireWhole(place, true);
    },
  },
  "restore without a ledger of its own": {
    words: ({ backup, receipts }) => ["restore", backup, "--replace", "--ledger", receipts],
    prepare: (place) => {
      for (const name of readdirSync(place.data)) {
        if (/^(?:sluice|deletion-ledger)/.test(name)) rmSync(join(place.data, name));
      }
    },
    verify: async (place, killed) => {
      if (!existsSync(join(place.data, "sluice.db"))) return;
      await requireErasedUnreadableIfThere(place);
      if (killed) await makeLine(place).type("deletion replay");
      await requireErasedUnreadableIfThere(place);
    },
  },
  replay: {
    words: ({ receipts }) => ["deletion", "replay", "--ledger", receipts],
    // As somebody does who copies the file back by hand.
    prepare: ({ backup, data }) => copyFileSync(backup, join(data, "sluice.db")),
    verify: async (place) => {
      await requireErasedUnreadable(place);
      await requireWhole(place, true);
    },
  },
  backup: {
    words: ({ apart }) => ["backup", join(apart, "another.db")],
    verify: async (place, killed) => {
      const another = join(place.apart, "another.db");
      // Any command clears up.
      assert.equal((await makeLine(place).type("check")).code, 0);
      requireNoLeftovers(place);
      if (existsSync(another)) {
        const store = await openStore(`sqlite:${another}`, { role: "command" });
        assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
        await store.close();
      } else {
        assert.ok(killed);
      }
      await requireWhole(place, false);
    },
  },
};

function makeLine({ data, environment }: Place) {
  return makeCommandLine({ folder: data, environment });
}

/** Holds are in the lost ledger only, so of this store no more is asked than that nothing erased is read. */
async function requireErasedUnreadableIfThere(place: Place): Promise<void> {
  await requireErasedUnreadable(place);
}
