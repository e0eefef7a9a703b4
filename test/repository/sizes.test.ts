// The rules for the sizes of files, functions and parameter lists, in examples (code.test.ts applies them).

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findSizeViolations, rowMakers } from "./rule/sizes.ts";
import { parseFiles } from "./syntax.ts";
import { readFile } from "./tree.ts";

describe("the sizes", () => {
  it("have no exception that is not needed", () => {
    for (const exception of rowMakers) {
      const [path = "", name = ""] = exception.split(" ");
      const { text } = readFile(path);
      const renamed = text.replace(new RegExp(`function ${name}\\b`), "function renamed");
      assert.notDeepEqual(violationsOf(renamed, path), [], exception);
    }
  });

  it("limit a file to 350 lines, and one of tests to 400", () => {
    for (const [path, linesMax] of [
      ["src/example.ts", 350],
      ["test/example.test.ts", 400],
    ] as const) {
      assert.equal(violationsOf("// a line\n".repeat(linesMax), path).length, 0);
      assert.equal(violationsOf("// a line\n".repeat(linesMax + 1), path).length, 1);
    }
  });

  it("limit a comment to 120 columns", () => {
    const wide = "w".repeat(118);
    for (const form of [`// ${wide}`, `  /** ${wide} */`, `   * ${wide}`]) {
      assert.equal(violationsOf(`/*\n${form}\n`).length, 1, form);
    }
    assert.deepEqual(violationsOf(`// ${wide.slice(1)}\nconst text = "${wide}";`), []);
  });

  it("limit a function of any form to 70 lines", () => {
    const forms = [
      (body: string) => `function name() {${body}}`,
      (body: string) => `const name = () => {${body}};`,
      (body: string) => `class Name { method() {${body}} }`,
      (body: string) => `class Name { constructor() {${body}} }`,
      (body: string) => `it("does it", async () => {${body}});`,
    ];
    for (const form of forms) {
      assert.equal(violationsOf(form("\n".repeat(69))).length, 0, form(" "));
      assert.equal(violationsOf(form("\n".repeat(70))).length, 1, form(" "));
    }
  });

  it("do not limit the function of a group of tests", () => {
    const tests = `it("does it", () => {});${"\n".repeat(100)}`;
    assert.deepEqual(violationsOf(`describe("a group", () => {${tests}});`), []);
    assert.deepEqual(
      violationsOf(`function everyEngine() { describe("a group", () => {${tests}}); }`),
      [],
    );
  });

  it("limit parameters to two after the first, and an options object", () => {
    const fine = [
      "function write(app: App, type: string, id: string) {}",
      "function write(app: App, type: string, id: string, options: Options) {}",
      "function write(app: App, type: string, id: string, { strict }: { strict: boolean }) {}",
      "interface Store { write(app: App, type: string, id: string, act: Act): void }",
      "interface Store { write(app: App, type: string, id: string, act: store.Act): void }",
      "list.reduce((sum, item, index, all) => sum);",
    ];
    const faulty = [
      "function write(app: App, type: string, id: string, count: number) {}",
      "function write(app: App, type: string, id: string, lines: string[]) {}",
      "function write(app: App, type: string, id: string, done: () => void) {}",
      "function write(app: App, type: string, id: string, ...lines: string[]) {}",
      "function write(app: App, type: string, id: string, act: Act, options: Options) {}",
      "const write = (app: App, type: string, id: string, count: number) => {};",
      "class Store { write(app: App, type: string, id: string, count: number) {} }",
      "interface Store { write(app: App, type: string, id: string, count: number): void }",
    ];
    assert.deepEqual(
      fine.filter((text) => violationsOf(text).length !== 0),
      [],
    );
    assert.deepEqual(
      faulty.filter((text) => violationsOf(text).length !== 1),
      [],
    );
  });
});

function violationsOf(text: string, path = "src/example.ts"): readonly string[] {
  return parseFiles([{ path, text }]).flatMap(findSizeViolations);
}
