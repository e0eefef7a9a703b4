// The rules of features, and each of them broken.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { features } from "../../src/feature/features.ts";
import { featureOf, findFeatureImports, findFeatureNames } from "./rule/features.ts";
import { parseFiles } from "./syntax.ts";
import { findText, readFiles, readTexts } from "./tree.ts";

const names = features.map(({ name }) => name);

async function commandsOf(): Promise<Readonly<Record<string, readonly string[]>>> {
  const parts = features.map(async ({ name, commands }) => {
    const own = (await commands?.load())?.commands ?? [];
    return [name, own.map((command) => command.name)] as const;
  });
  return Object.fromEntries(await Promise.all(parts));
}

function importOf(word: string): string {
  return word.startsWith("type:")
    ? `import type { A } from "${word.slice(5)}";`
    : `import { a } from "${word}";`;
}

describe("features", () => {
  it("are all in the lists, and say in a README of half a page what they promise", () => {
    const list = findText("test/feature/samples.ts") ?? "";
    const sampled = Array.from(list.matchAll(/from "\.\/([^/]+)\/samples\.ts"/g), ([, one]) => one);
    const folders = readFiles("src/feature/*/feature.ts").map(({ path }) => featureOf(path));
    assert.deepEqual(new Set(folders), new Set(names));
    assert.deepEqual(new Set(sampled), new Set(names), "not every feature has samples");
    for (const name of names) {
      const text = findText(`src/feature/${name}/README.md`) ?? "";
      assert.match(text, /^# .+\n\n[^]*\*\*Promises\.\*\*[^]*\*\*Bounds\.\*\*/, name);
      assert.ok(text.split("\n").length <= 50, name);
    }
  });

  it("are imported by no file of the core, and only by features below them", () => {
    assert.deepEqual(findFeatureImports(parseFiles(readFiles("src/**/*.ts")), names), []);
  });

  it("are named by no text of the core or of features above them", async () => {
    const texts = readTexts().filter(({ path }) => /^(?:src|test)\//.test(path));
    const lists = readFiles("test/mutants/list/*.txt");
    assert.deepEqual(findFeatureNames([...texts, ...lists], await commandsOf()), []);
  });

  /** What each file may import, and what it must not. */
  const imports: Readonly<Record<string, readonly [may: string, mustNot: string]>> = {
    "src/actions/a.ts": [
      "./b.ts",
      "../feature/one/a.ts type:../feature/two/a.ts ../feature/features.ts",
    ],
    "src/cli/run.ts": ["./b.ts", "../feature/feature.ts"],
    "src/cli/main.ts": ["../feature/features.ts", "../feature/one/feature.ts"],
    "src/process/serve.ts": [
      "../feature/features.ts type:../feature/feature.ts",
      "../feature/one/a.ts",
    ],
    "src/store/sql/a.ts": [
      "./b.ts",
      "../../feature/parts.ts ../../feature/one/store/part.ts type:../../feature/two/store/part.ts",
    ],
    "src/store/sqlite/a-thread.ts": ["../../feature/parts.ts", "../../feature/one/store/a.ts"],
    "src/feature/features.ts": ["./one/feature.ts ./two/feature.ts", ""],
    "src/feature/one/a.ts": [
      "../feature.ts ./store/b.ts ../../actions/a.ts",
      "../features.ts ../two/a.ts",
    ],
    "src/feature/two/a.ts": ["../one/a.ts", "type:../features.ts"],
  };

  it("would be reported where a file imports what it must not", () => {
    const files = Object.entries(imports).map(([path, words]) => ({
      path,
      text: words.flatMap((list) => list.split(" ").filter(Boolean).map(importOf)).join("\n"),
    }));
    const found = findFeatureImports(parseFiles(files), ["one", "two"]);
    const expected = Object.entries(imports).flatMap(([path, [may, mustNot]]) =>
      mustNot
        .split(" ")
        .flatMap((word, index) =>
          word === "" ? [] : [`${path}:${may.split(" ").length + index + 1}`],
        ),
    );
    assert.deepEqual(
      found.map((text) => text.split(": ")[0]),
      expected,
    );
  });

  it("would be reported where a text names their folder or a command of theirs", () => {
    const commands = { one: ["one", "one list"], two: [] };
    const find = (path: string, text: string) => findFeatureNames([{ path, text }], commands);
    assert.equal(find("test/a.ts", 'from "../src/feature/one/a.ts"').length, 1);
    assert.equal(find("src/cli/a.ts", "Run: sluice one list").length, 1);
    assert.equal(find("src/feature/one/a.ts", "../feature/two/a.ts").length, 1);
    assert.deepEqual(find("src/feature/two/a.ts", "../feature/one/a.ts"), []);
    assert.deepEqual(find("src/feature/one/a.ts", "sluice one"), []);
    assert.deepEqual(find("test/feature/one/a.ts", "../src/feature/one/a.ts"), []);
    assert.deepEqual(find("src/feature/features.ts", "feature/one/a.ts"), []);
    assert.deepEqual(find("src/a.ts", "feature/oneself, sluice ones"), []);
  });
});
