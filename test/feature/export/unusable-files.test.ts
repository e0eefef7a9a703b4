// Files to verify that can't be used: the error names the file and the cause.

import assert from "node:assert/strict";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeCommandLine } from "../../cli/command-line.ts";

describe("a file to verify that can't be used", () => {
  it("is named where it is a folder, or missing, in every command that verifies it", async () => {
    const line = makeCommandLine();
    await line.ask("migrate");
    const missing = join(line.folder, "missing");
    const words = [
      ["receipt verify", missing],
      ["audit verify", missing],
      ["export verify", missing],
      ["receipt verify", line.folder],
      ["audit verify", line.folder],
      ["export verify", "x", "--keys", missing],
      ["export verify", "x", "--keys", line.folder],
    ];
    for (const [command = "", ...rest] of words) {
      const { message } = await line.fail(command, ...rest);
      const path = rest.at(-1) === missing ? missing : line.folder;
      const reason =
        path === missing ? "there is no such file or folder" : "it is a folder, not a file";
      assert.ok(message.endsWith(`${path} can't be read: ${reason}.`), `${command}: ${message}`);
    }
  });

  it("is not read where it is larger than what is verified can be", async () => {
    const line = makeCommandLine();
    await line.ask("migrate");
    const path = join(line.folder, "large");
    writeFileSync(path, "");
    truncateSync(path, 3 * 1_024 ** 3);
    const words = [
      ["receipt verify", path],
      ["audit verify", "x", "--head", path],
      ["audit verify", "x", "--keys", path],
    ];
    for (const [command = "", ...rest] of words) {
      const { message } = await line.fail(command, ...rest);
      assert.match(message, /can't be read: it is larger than \d+ bytes/, command);
    }
  });
});
