// Files that root creates beside the service of another user, which has to be able to use them.

import assert from "node:assert/strict";
import { chownSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { replaceOwnFile } from "../../src/files/own-file.ts";
import { makeKey, replaceKey } from "../../src/data-folder/receipt-key.ts";
import { openStoreLedger } from "../../src/store/open-store.ts";
import { readConfig } from "../../src/settings/config.ts";
import { makePlace } from "../store/sqlite/place.ts";

const skip = process.geteuid?.() === 0 ? false : "needs root";

describe("a command that root runs in the folder of another user", () => {
  it("leaves no file that belongs to root", { skip }, async (test) => {
    const place = makePlace(test);
    const folder = join(place.folder, "data");
    mkdirSync(folder);
    chownSync(folder, 1_234, 1_234);
    const store = await place.open({ role: "command" });
    await store.add("transaction", "t");
    replaceKey(readConfig({ DATA_DIR: folder }), makeKey());
    const ledger = openStoreLedger(folder, "store_1", { now: () => 0 });
    await ledger.note([{ kind: "deletion_cancelled", deletionRequestId: "d", at: 0, by: "zoe" }]);
    await replaceOwnFile(join(folder, "next"), "text");
    const names = readdirSync(folder);
    assert.ok(names.length >= 6, names.join());
    for (const name of names) {
      const { uid, gid } = statSync(join(folder, name));
      assert.deepEqual({ name, uid, gid }, { name, uid: 1_234, gid: 1_234 });
    }
  });
});
