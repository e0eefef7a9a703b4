// Names and openings of files, barrels, and forbidden words; in the real files and in examples that
// fail.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  findBarrels,
  findNameViolations,
  findOpeningViolation,
  vagueNamesAllowed,
  packageSurfaces,
} from "./rule/names.ts";
import { findForbiddenWords, findLostNames } from "./rule/words.ts";
import { parseFiles } from "./syntax.ts";
import { readCode, readFiles, readTexts } from "./tree.ts";

describe("the names", () => {
  const code = readCode();

  it("are respected by every file", () => {
    assert.deepEqual(code.flatMap(findNameViolations), []);
    assert.deepEqual([...code, ...readFiles("bin/*.js")].flatMap(findOpeningViolation), []);
  });

  it("have no exception that is not needed", () => {
    const paths = new Set(code.map(({ path }) => path));
    assert.deepEqual(
      vagueNamesAllowed.filter((path) => !paths.has(path)),
      [],
    );
    for (const path of packageSurfaces) {
      const text = code.find((file) => file.path === path)?.text ?? "";
      const elsewhere = parseFiles([{ path: "src/elsewhere.ts", text }]);
      assert.notDeepEqual(elsewhere.flatMap(findBarrels), [], path);
    }
  });

  it("reject names that are not kebab-case or say nothing", () => {
    const names = [
      "src/http/readBody.ts",
      "src/http/read_body.ts",
      "src/http/ReadBody.ts",
      "src/http/read--body.ts",
      "src/http/index.ts",
      "src/http/utils.ts",
      "src/http/body-helper.ts",
      "src/common/body.ts",
      "src/store/record-manager.ts",
      "src/actions/record-service.ts",
      "test/http/readBody.test.ts",
    ];
    const missed = names.filter((path) => findNameViolations({ path, text: "" }).length === 0);
    assert.deepEqual(missed, []);
    assert.deepEqual(findNameViolations({ path: "src/http/body/read-body.ts", text: "" }), []);
    assert.deepEqual(findNameViolations({ path: "test/http/read-body.test.ts", text: "" }), []);
  });

  it("reject a file that opens without saying what it is for", () => {
    const openings = [
      "",
      "\n// Late.\n",
      'import { a } from "./a.ts";',
      "/** A docstring. */",
      "//\n",
    ];
    const missed = openings.filter(
      (text) => findOpeningViolation({ path: "a.ts", text }).length === 0,
    );
    assert.deepEqual(missed, []);
    assert.deepEqual(
      findOpeningViolation({ path: "a.js", text: "#!/usr/bin/env node\n// What it is.\n" }),
      [],
    );
  });

  it("reject barrels", () => {
    const barrels = ['export * from "./a.ts";', 'export { a } from "./a.ts";'];
    for (const text of barrels) {
      assert.equal(parseFiles([{ path: "src/a.ts", text }]).flatMap(findBarrels).length, 1, text);
    }
    const text = "const a = 1;\nexport { a };\nexport type { A };";
    assert.deepEqual(parseFiles([{ path: "src/a.ts", text }]).flatMap(findBarrels), []);
  });
});

describe("forbidden words", () => {
  it("occur in no file", () => {
    assert.deepEqual(readTexts().flatMap(findForbiddenWords), []);
  });

  it("are found wherever they occur", () => {
    const mark = ["TO", "DO"].join("");
    const slash = "/";
    const lines = [
      `// ${mark}: later`,
      `const path = "${slash}home/somebody/data";`,
      `see ${slash}tmp/output`,
      `in (${slash}Users/somebody)`,
      String.raw`in C${":"}\Users\somebody`,
      `${"<".repeat(7)} HEAD`,
    ];
    const missed = lines.filter((text) => findForbiddenWords({ path: "a.ts", text }).length === 0);
    assert.deepEqual(missed, []);
  });

  it("are not reported where they do not occur", () => {
    const lines = [
      'const path = join(root, "data");',
      "https://example.com/home/page",
      "../tmp/with",
      "src/tmp/a.ts",
      "XXX stands for no currency",
      "/var/lib/sluice",
    ];
    assert.deepEqual(
      lines.flatMap((text) => findForbiddenWords({ path: "a.ts", text })),
      [],
    );
  });
});

describe("the files that comments name", () => {
  const paths = readFiles("**/*.{ts,js,md}").map(({ path }) => path);

  it("exist", () => {
    assert.deepEqual(
      readCode().flatMap((file) => findLostNames(file, paths)),
      [],
    );
  });

  it("would be reported if they did not exist", () => {
    const gone: string = "gone";
    assert.equal(lost(`// as in ${gone}.ts`).length, 1);
    assert.equal(lost(` * as in (${gone}/merge.ts)`).length, 1);
    assert.equal(lost(`/** See docs/${gone}.md. */`).length, 1);
    const fine = ["merge.ts", "record/merge.ts", "src/domain/record/merge.ts", "record-type/*.ts"];
    assert.deepEqual(
      fine.flatMap((name) => lost(`// ${name} says so`)),
      [],
    );
    assert.deepEqual(lost('import { a } from "./gone.ts";'), []);
  });
});

function lost(text: string): readonly string[] {
  return findLostNames({ path: "a.ts", text }, ["src/domain/record/merge.ts"]);
}
