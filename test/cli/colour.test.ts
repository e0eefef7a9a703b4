// Colours of errors and warnings: on terminals only, and with no meaning of their own.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { makeCommandLine } from "./command-line.ts";

const unknown = { DATABASE_URI: "x", DATABASE_URL: "", SLUICE_FOLDER: "x" };

async function errOf(environment: Readonly<Record<string, string>>, isTTY = true, more = "") {
  return (await makeCommandLine({ environment, isTTY }).type(`key creat${more}`)).err;
}

describe("colours", () => {
  it("show errors and warnings on a terminal, and repeat what the text says", async () => {
    const shown = await errOf({ TERM: "xterm", NO_COLOR: "" });
    assert.ok(shown.startsWith("\u001b[31msluice:\u001b[39m unknown command"));
    assert.equal(stripVTControlCharacters(shown), await errOf({}, false));
    const line = makeCommandLine({ environment: unknown, isTTY: true });
    assert.ok((await line.type("key list")).err.includes("\u001b[33mwarning:\u001b[39m "));
  });

  it("are left out with NO_COLOR, on a dumb terminal, and in JSON", async () => {
    for (const err of [
      await errOf({ TERM: "xterm", NO_COLOR: "1" }),
      await errOf({ TERM: "dumb" }),
      await errOf({ TERM: "xterm" }, true, " --json"),
    ]) {
      assert.ok(!err.includes("\u001b"), err);
    }
  });
});
