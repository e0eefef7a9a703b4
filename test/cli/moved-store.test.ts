// A store that was moved away: nothing opens what is left of it.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { movedEnding, noteMoved } from "../../src/data-folder/moved-store.ts";
import { makeCommandLine } from "./command-line.ts";

describe("a store that was moved", () => {
  it("is opened by no command, and says where it is now, without the password", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name Acme --id acme");
    const path = join(line.folder, "sluice.db");
    noteMoved(path, { to: "postgres://me:secret@db.example:5432/sluice", at: 0 });
    for (const words of ["check", "organization list", "deletion replay"]) {
      const { message } = await line.fail(words);
      assert.match(message, /was moved to postgres:\/\/db\.example:5432\/sluice at 1970/);
      assert.ok(!message.includes("secret"));
    }
    rmSync(`${path}${movedEnding}`);
    assert.equal((await line.type("organization list")).code, 0);
  });
});
