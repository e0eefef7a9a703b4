// The code of the project, parsed once, and every rule that reads its syntax; examples of each rule are in the test
// named after it.

import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { findCrowdedPages } from "./rule/console-pages.ts";
import { findLayerViolations } from "./rule/layers.ts";
import { findLoaded } from "./rule/loaded.ts";
import { findBarrels } from "./rule/names.ts";
import { findSlowPatterns } from "./rule/patterns.ts";
import { findSizeViolations } from "./rule/sizes.ts";
import { findStoreCalls } from "./rule/store-calls.ts";
import { findTestViolations } from "./rule/tests.ts";
import { findShellCommands } from "./rule/words.ts";
import { findYieldViolations } from "./rule/yields.ts";
import { type CodeFile, importsOf, parseFiles } from "./syntax.ts";
import { readCode, readFiles } from "./tree.ts";

const texts = readCode();
const scripts = readFiles("{src,client/src}/**/*.js");
const all = parseFiles([...texts, ...scripts]);
const house = all.filter(({ path }) => path.endsWith(".ts"));

/** The program, and what it loads before it runs a command of a first word, be it of the core or of a feature. */
const commandEntries = [
  "src/cli/main.ts",
  ...texts.flatMap(({ path, text }) => {
    const start = path === "src/cli/commands.ts" ? "" : "commands: \\{ words: [^}]*";
    const added = text.matchAll(new RegExp(`${start}\\bimport\\("(\\.[^"]+)"\\)`, "g"));
    const isList =
      path === "src/cli/commands.ts" || /^src\/feature\/[^/]+\/feature\.ts$/.test(path);
    return isList ? Array.from(added, ([, to = ""]) => posix.join(posix.dirname(path), to)) : [];
  }),
];

function within(pattern: RegExp): readonly CodeFile[] {
  const found = all.filter(({ path }) => pattern.test(path));
  assert.ok(found.length > 0);
  return found;
}

describe("the code", () => {
  it("keeps to the sizes of files, functions and parameter lists", () => {
    assert.deepEqual(house.flatMap(findSizeViolations), []);
  });

  it("has no barrels", () => {
    assert.deepEqual(house.flatMap(findBarrels), []);
  });

  it("has no regular expression of more than linear time in the service and the client", () => {
    assert.deepEqual(within(/^(?:src|client\/src)\//).flatMap(findSlowPatterns), []);
  });

  it("has the values of node:http from one file, which does not load fetch and WebSocket", () => {
    const importing = within(/^src\//).filter((file) =>
      importsOf(file).some(({ specifier, typesOnly }) => specifier === "node:http" && !typesOnly),
    );
    assert.deepEqual(
      importing.map(({ path }) => path),
      [],
    );
  });

  it("runs shared statements wherever it calls them", () => {
    assert.ok(house.some(({ path }) => path.startsWith("src/store/sql/")));
    assert.deepEqual(within(/^src\/store\//).flatMap(findYieldViolations), []);
  });

  it("runs all of its tests", () => {
    assert.deepEqual(within(/^test\/.*\.test\.ts$/).flatMap(findTestViolations), []);
  });
});

describe("the layers", () => {
  it("are respected by every file of the source", () => {
    assert.deepEqual(findLayerViolations(house), []);
  });

  it("are kept by every call: entry points reach the store through actions only", () => {
    assert.deepEqual(findStoreCalls(house), []);
  });

  it("are kept by messages: an action names no command of the shell, which the console shows too", () => {
    assert.deepEqual(texts.flatMap(findShellCommands), []);
  });

  it("are entered by a page of the console in at most two files of actions", () => {
    assert.deepEqual(findCrowdedPages(house), []);
  });

  it("load no page of the console for a command, also not for one of a feature", () => {
    const page = /^src\/(?:console\/(?:page\/|routes)|feature\/[^/]+\/(?:pages|console)\.)/;
    assert.ok(commandEntries.length > 10);
    for (const entry of commandEntries) {
      const pages = [...findLoaded(house, entry).files].filter((path) => page.test(path));
      assert.deepEqual(pages, [], entry);
    }
    const serving = [...findLoaded(house, "src/process/serve.ts").files];
    assert.ok(serving.some((path) => page.test(path)));
  });

  it("load few files and one package at the start of a command, each of which costs time", () => {
    const ofAny = findLoaded(house, "src/cli/main.ts").files.size;
    assert.ok(ofAny <= 110, `${ofAny} files`);
    const packages = commandEntries.flatMap((entry) => findLoaded(house, entry).packages);
    assert.deepEqual([...new Set(packages)], ["commander"]);
  });

  const loaded: Readonly<Record<string, readonly string[]>> = {
    "src/process/serve.ts": ["fastify", "pino"],
    "src/process/bulk-thread.ts": [],
    "src/store/sqlite/commit/writer-thread.ts": [],
    "src/store/sqlite/file/file-thread.ts": [],
  };
  for (const [entry, packages] of Object.entries(loaded)) {
    it(`load few packages at the start of ${entry}, each of which costs time`, () => {
      assert.deepEqual(findLoaded(house, entry).packages, packages);
    });
  }
});
