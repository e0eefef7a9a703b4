// Every test file is in `npm test` or in `npm run test:rest`, and in one of them.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { describeRest, inAnyFeature, kindOf, rest } from "../parts.ts";
import { readMutants } from "../mutants/mutant.ts";
import { readFiles, root, type TextFile } from "./tree.ts";

/** What only the rest may use: what takes long to start, or is not installed everywhere. */
const programs = /from ".*\/(?:browser|pgbouncer|other-servers|in-test)\.ts"/;

function findMisplaced(files: readonly TextFile[], parts = rest): readonly string[] {
  const places = Object.values(parts).flat();
  const placesOf = (path: string) => places.filter((place) => isIn(path, place));
  // No feature has to have such a folder.
  const needed = places.filter((place) => !place.startsWith("feature/*/"));
  const empty = needed.filter((place) => !files.some(({ path }) => isIn(path, place)));
  return [
    ...empty.map((place) => `${place}: no test`),
    ...files.flatMap(({ path, text }) => {
      const { length } = placesOf(path);
      if (length > 1) return [`${path}: in the rest ${length} times`];
      return length === 0 && programs.test(text) ? [`${path}: belongs to the rest`] : [];
    }),
  ];
}

function isIn(path: string, place: string): boolean {
  return inAnyFeature(path.replace("test/", "")).startsWith(place);
}

function isLeft(path: string): boolean {
  return kindOf(join(root, path)) !== undefined;
}

describe("the two parts of the tests", () => {
  const files = readFiles("test/**/*.test.ts");

  it("have each test file once", () => {
    assert.deepEqual(findMisplaced(files), []);
    const left = files.filter(({ path }) => isLeft(path));
    assert.ok(left.length > 50 && left.length < files.length / 2, `${left.length} files`);
    assert.match(describeRest(left.map(({ path }) => join(root, path))), /test:rest: \d+ files: /);
  });

  it("would be reported with a file in none or two of them, and a place without tests", () => {
    const place = "../campaign/in-test.ts";
    const text = `import { shortRun } from "${place}";`;
    const file = (path: string) => ({ path, text });
    assert.equal(findMisplaced([file("test/a.test.ts")], {}).length, 1);
    assert.equal(findMisplaced([file("test/b/a.test.ts")], { one: ["b/", "b/a"] }).length, 1);
    assert.equal(findMisplaced([], { one: ["b/"] }).length, 1);
    assert.deepEqual(findMisplaced([file("test/b/a.test.ts")], { one: ["b/"] }), []);
  });

  it("find every planted fault with npm test", () => {
    assert.deepEqual(
      readMutants().filter(({ tests }) => tests.every(({ file }) => isLeft(file))),
      [],
    );
  });
});
