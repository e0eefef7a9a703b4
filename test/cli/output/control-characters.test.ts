// Texts from outside can neither move the cursor of a terminal nor forge a line of output.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeControls, replaceControls } from "../../../src/cli/output/control-characters.ts";
import { makeCommandLine } from "../command-line.ts";

describe("control characters", () => {
  it("are replaced in the cells of tables", () => {
    assert.equal(replaceControls("a\u001b[2Jb\nc\u0085d"), "a\uFFFD[2Jb\uFFFDc\uFFFDd");
  });

  it("are escaped in messages, and so are the lines of an argument, but not those of the message", () => {
    const message = "There is no x\nsluice: done\u001b[1m. See:\n  here";
    const words = ["--id=x\nsluice: done\u001b[1m"];
    const expected = "There is no x\\nsluice: done\\u001b[1m. See:\n  here";
    assert.equal(escapeControls(message, words), expected);
  });

  it("of an argument are escaped in the errors of commands", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name Acme --id acme");
    const hostile = "no\u001b[2J\nsluice: Everything is erased.";
    for (const words of [
      ["organization show", hostile],
      ["record show transaction", hostile, "--organization", "acme"],
      ["deletion list --organization", hostile],
      ["deletion list", hostile],
    ] as const) {
      const { err } = await line.type(...words);
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(err, /\u001b|^sluice: Everything/m, words[0]);
      assert.equal(err.split("\n").length, 2, err);
    }
  });
});
