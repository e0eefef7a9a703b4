// The guide for those who read the code for the first time: its names exist, and its walks can be followed.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findWalkViolations, readWalks } from "./rule/walks.ts";
import { readCode, readFile } from "./tree.ts";

const linesMax = 180;
const filesMax: Readonly<Record<string, number>> = {
  "One added transaction": 28,
  "One deletion": 16,
  "One page of the console": 20,
};

/** What the walks of a request have together, on both engines. */
const requestFilesMax = 42;
const requestLinesMax = 6_120;

describe("the guide to reading the code", () => {
  const guide = readFile("docs/reading-the-code.md");
  const files = new Map(readCode().map(({ path, text }) => [path, text]));
  const walks = readWalks(guide);

  it("is short", () => {
    const lines = guide.text.split("\n").length - 1;
    assert.ok(lines <= linesMax, `${lines} lines`);
  });

  for (const [heading, max] of Object.entries(filesMax)) {
    it(`leads through ${heading.toLowerCase()} by files that lead from one to the next`, () => {
      const walk = walks.find((found) => found.heading === heading);
      assert.ok(walk !== undefined && walk.steps.length > 10);
      assert.deepEqual(findWalkViolations(walk, { files, stepsMax: max }), []);
    });
  }

  it("leads from a request to its storage, and to its erasure, through few lines", () => {
    const [, section = ""] = guide.text.split(/^## One added transaction$|^## One page/m);
    const paths = new Set(
      [...section.matchAll(/`(src\/[^`]+\.ts)`/g)].map(([, path = ""]) => path),
    );
    const lines = [...paths].flatMap((path) => (files.get(path) ?? "").split("\n").slice(1));
    const found = `${lines.length} lines in ${paths.size} files`;
    assert.ok(paths.size > 40 && paths.size <= requestFilesMax, found);
    assert.ok(lines.length <= requestLinesMax, found);
  });

  it("names functions outside the lists that their files have", () => {
    const named = [...guide.text.matchAll(/`(\w+)\(\)` in\s+`(src\/[^`]+)`/g)];
    assert.ok(named.length > 0);
    for (const [text, name, path = ""] of named) {
      assert.match(files.get(path) ?? "", new RegExp(`function\\*? ${name}\\b`), text);
    }
  });

  for (const recipe of ["record type", "operation", "setting", "column", "command"]) {
    it(`has a recipe for a new ${recipe}`, () => {
      assert.match(guide.text, new RegExp(`^\\*\\*A new ${recipe}\\.\\*\\*`, "m"));
    });
  }
});

describe("the rule for walks", () => {
  const files = new Map([
    ["src/a.ts", 'import { b } from "./b.ts";\nstartThread(import.meta.url, "c");'],
    ["src/b.ts", 'export function b() { return import("./d.ts"); }'],
    ["src/c.ts", "run();"],
    ["src/d.ts", "run();"],
  ]);
  const check = (text: string, stepsMax = 4) => {
    const [walk] = readWalks({ path: "a.md", text: `# Walk\n\n${text}` });
    return walk === undefined ? ["none"] : findWalkViolations(walk, { files, stepsMax });
  };

  it("accepts files that those above import or start as threads", () => {
    const text =
      "1. `src/a.ts`\n2. `src/b.ts`: `b()` does\n   it with `import`\n3. `src/c.ts`\n4. `src/d.ts`\n";
    assert.deepEqual(check(text), []);
  });

  const faulty: readonly (readonly [why: string, text: string, stepsMax?: number])[] = [
    ["a file that is not there", "1. `src/x.ts`\n"],
    ["a file that nothing above it names", "1. `src/a.ts`\n2. `src/d.ts`\n"],
    ["a name that its file does not have", "1. `src/a.ts` has `nothing`\n"],
    ["a name in the second line of an item", "1. `src/a.ts` has\n   `nothing`\n"],
    ["too many files", "1. `src/a.ts`\n2. `src/b.ts`\n", 1],
  ];
  for (const [why, text, stepsMax] of faulty) {
    it(`reports ${why}`, () => assert.equal(check(text, stepsMax).length, 1));
  }
});
