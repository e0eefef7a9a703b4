// Retired words occur in no file and in no file name; and the rule finds each of them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findRetiredWords, retiredWords } from "./rule/retired-words.ts";
import { findFragments } from "./rule/words.ts";
import { readCode, readFile, readTexts } from "./tree.ts";

describe("the retired words", () => {
  it("occur in no file", () => {
    assert.deepEqual(readTexts().flatMap(findRetiredWords), []);
  });

  it("are all found, with the term to use instead", () => {
    const missed = retiredWords.filter(({ word, instead }) => {
      const plain = word.replace(/\([^)]*\)/, word.includes("looks") ? "s" : "");
      const found = findRetiredWords({ path: "src/a.ts", text: `// It is a ${plain} here.` });
      return found.length === 0 || !found.every((line) => line.includes(`write ${instead}`));
    });
    assert.deepEqual(missed, []);
  });

  it("are found in prose, identifiers, other forms and file names", () => {
    const lines = [
      "The doors are shut.",
      "function wipeFile(): void {}",
      "const lastJudgement = 1;",
      "await connection.giveBackPages();",
      "Given back when it ends.",
      "it is carried out once",
    ];
    const missed = lines.filter((text) => find("docs/a.md", text).length === 0);
    assert.deepEqual(missed, []);
    assert.equal(find("src/store/sqlite/give-back.ts", "").length, 1);
  });

  it("are not found in other words, nor in fields", () => {
    const lines = ["outdoors", "swipe", "carried_out_again", "It visits every node.", "doorstep"];
    assert.deepEqual(
      lines.flatMap((text) => find("src/a.ts", text)),
      [],
    );
  });

  it("do not occur in the glossary", () => {
    assert.deepEqual(findRetiredWords(readFile("docs/concepts/glossary.md")), []);
  });
});

describe("the comments of the sources", () => {
  it("begin with a sentence, or with what something is", () => {
    const sources = readCode().filter(({ path }) => path.startsWith("src/"));
    assert.deepEqual(sources.flatMap(findFragments), []);
  });

  it("would be reported if they began with a fragment", () => {
    const text = "/** Of one feature. */\n/**\n * By name.\n */\n/** The name of a feature. */";
    assert.deepEqual(findFragments({ path: "src/a.ts", text }), [
      "src/a.ts:1: /** Of",
      "src/a.ts:2: /**\n * By",
    ]);
  });
});

function find(path: string, text: string): readonly string[] {
  return findRetiredWords({ path, text });
}
