// The session in the README, run as it stands against a real server: every command works, every reply is as shown.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { blocksOf, patternOf } from "./rule/pages.ts";
import { readFile, root } from "./tree.ts";

const separator = "\u001e";
const addressInReadme = "http://127.0.0.1:8080";

describe("the session in the README", () => {
  const { text } = readFile("README.md");
  const session = blocksOf(text.split("## A session")[1] ?? "", "sh")[0] ?? "";
  const folder = makeTempFolder();
  const environment = { DATABASE_URL: `sqlite:${folder}/sluice.db`, LOG_LEVEL: "warn" };
  let server: ServerProcess;

  before(async () => {
    server = await startServerProcess({ ...environment, PORT: "0", NODE_ENV: "development" });
  });

  after(async () => {
    await server.end("SIGTERM");
    removeFolder(folder);
  });

  it("answers as it shows", async () => {
    const { replies, expected } = await play(session);
    assert.ok(expected.length >= 5);
    for (const [index, shown] of expected.entries())
      assert.match(replies[index] ?? "", patternOf(shown));
  });

  it("would fail for another reply, and for a command that fails", async () => {
    const { replies, expected } = await play("echo one\n# => two\n");
    assert.doesNotMatch(replies[0] ?? "", patternOf(expected[0] ?? ""));
    await assert.rejects(play("false\necho one\n# => one\n"));
    await assert.rejects(play("false | cat\necho one\n# => one\n"));
  });

  /** The last line that was printed before each line of the form `# => …`, and what that line shows. */
  async function play(script: string): Promise<{ replies: string[]; expected: string[] }> {
    assert.ok(script !== "");
    const expected = [...script.matchAll(/^# => (.*)$/gm)].map(([, shown = ""]) => shown);
    const marked = script
      .replaceAll(addressInReadme, server.address)
      .replace(/^# => .*$/gm, `printf '${separator}'`);
    const { stdout } = await promisify(execFile)("bash", ["-e", "-o", "pipefail", "-c", marked], {
      cwd: root,
      env: { ...process.env, ...environment },
    });
    const replies = stdout
      .split(separator)
      .map((printed) => printed.trimEnd().split("\n").at(-1) ?? "");
    return { replies, expected };
  }
});
