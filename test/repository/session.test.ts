// The sessions that pages show, run against a real server: every command works, every reply is as
// shown.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { playSession } from "../support/shell-session.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { blocksOf, patternOf } from "./rule/pages.ts";
import { readFile, root } from "./tree.ts";

/** Runs the checkout's own command from any folder. */
const ownCommand = `"${process.execPath}" "${join(root, "bin/sluice.js")}"`;

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

  const play = (script: string) =>
    playSession(script, { address: server.address, folder: root, environment });

  it("gets the replies that it shows", async () => {
    assert.ok(session !== "");
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
});

describe("the session in the guide to import and export", () => {
  const { text } = readFile("docs/guides/bulk.md");
  const session = blocksOf(text, "sh").join("\n");
  const folder = makeTempFolder();
  const store = { DATABASE_URL: `sqlite:${folder}/data/sluice.db`, DATA_DIR: `${folder}/data` };
  const environment = { ...store, LOG_LEVEL: "warn" };
  let server: ServerProcess;

  before(async () => {
    server = await startServerProcess({ ...environment, PORT: "0", NODE_ENV: "development" });
  });

  after(async () => {
    await server.end("SIGTERM");
    removeFolder(folder);
  });

  it("prints the output that it shows", async () => {
    const script = session.replaceAll("npx sluice", ownCommand);
    const { replies, expected } = await playSession(script, {
      address: server.address,
      folder,
      environment,
    });
    assert.ok(expected.length >= 10);
    for (const [index, shown] of expected.entries())
      assert.match(replies[index] ?? "", patternOf(shown));
  });
});
