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
    const own = (await commands?.())?.commands ?? [];
    return [name, own.map((command) => command.name)] as const;
  });
  return Object.fromEntries(await Promise.all(parts));
}

describe("features", () => {
  it("are all in the list, and say in a README of half a page what they promise", () => {
    const folders = readFiles("src/feature/*/feature.ts").map(({ path }) => featureOf(path));
    assert.deepEqual(folders.toSorted(), names.toSorted());
    for (const name of names) {
      const text = findText(`src/feature/${name}/README.md`) ?? "";
      assert.match(text, /^# .+\n\n[^]*\*\*Promises\.\*\*[^]*\*\*Bounds\.\*\*/, name);
      assert.ok(text.split("\n").length <= 50, name);
    }
  });

  it("are imported by no file of the core, and only by features below them", () => {
    assert.deepEqual(findFeatureImports(parseFiles(readFiles("src/**/*.ts")), names), []);
  });

  it("are named by no text outside their folders", async () => {
    const texts = readTexts().filter(({ path }) => /^(?:src|test)\//.test(path));
    const lists = readFiles("test/mutants/list/*.txt");
    assert.deepEqual(findFeatureNames([...texts, ...lists], await commandsOf()), []);
  });

  const imports: readonly (readonly [path: string, imported: string, fine: boolean])[] = [
    ["src/actions/a.ts", "../feature/one/a.ts", false],
    ["src/actions/a.ts", "type ../feature/one/a.ts", false],
    ["src/actions/a.ts", "../feature/features.ts", false],
    ["src/cli/run.ts", "../feature/feature.ts", false],
    ["src/cli/main.ts", "../feature/features.ts", true],
    ["src/process/serve.ts", "../feature/features.ts", true],
    ["src/process/serve.ts", "../feature/one/a.ts", false],
    ["src/store/sqlite/a-thread.ts", "../../feature/parts.ts", true],
    ["src/feature/features.ts", "./one/feature.ts", true],
    ["src/feature/one/a.ts", "../feature.ts", true],
    ["src/feature/one/a.ts", "../features.ts", false],
    ["src/feature/one/a.ts", "./store/b.ts", true],
    ["src/feature/one/a.ts", "../two/a.ts", false],
    ["src/feature/two/a.ts", "../one/a.ts", true],
    ["src/feature/two/a.ts", "../../actions/a.ts", true],
  ];
  for (const [path, imported, fine] of imports) {
    it(`${fine ? "may" : "must not"} be imported so: ${imported} by ${path}`, () => {
      const [first = "", second] = imported.split(" ");
      const specifier = second ?? first;
      const text = `import ${second === undefined ? "" : "type "}{ a } from "${specifier}";`;
      const found = findFeatureImports(parseFiles([{ path, text }]), ["one", "two"]);
      assert.equal(found.length, fine ? 0 : 1);
    });
  }

  it("would be reported where a text names their folder or a command of theirs", () => {
    const commands = { one: ["one", "one list"], two: [] };
    const find = (path: string, text: string) => findFeatureNames([{ path, text }], commands);
    assert.equal(find("test/a.ts", 'from "../src/feature/one/a.ts"').length, 1);
    assert.equal(find("src/cli/a.ts", "Run: sluice one list").length, 1);
    assert.equal(find("src/feature/two/a.ts", "../feature/one/a.ts").length, 1);
    assert.deepEqual(find("src/feature/one/a.ts", "sluice one"), []);
    assert.deepEqual(find("test/feature/one/a.ts", "../src/feature/one/a.ts"), []);
    assert.deepEqual(find("src/feature/features.ts", "feature/one/a.ts"), []);
    assert.deepEqual(find("src/a.ts", "feature/oneself, sluice ones"), []);
  });
});
