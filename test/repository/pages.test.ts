// The documents: links, files that they name, widths; in the real pages and in examples that fail.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { commands } from "../../bench/all.ts";
import { pages as generated } from "../../docs/generate/pages.ts";
import { samples } from "../feature/samples.ts";
import { findDeadLinks, findMissingFiles, findWideLines } from "./rule/pages.ts";
import { exists, findText, readFile, readFiles, readPages, root } from "./tree.ts";

describe("the documents", () => {
  const pages = readPages();

  it("link to what exists", () => {
    assert.deepEqual(
      pages.flatMap((page) => findDeadLinks(page, findText)),
      [],
    );
  });

  it("name files that exist", () => {
    assert.deepEqual(
      pages.flatMap((page) => findMissingFiles(page, exists)),
      [],
    );
  });

  it("keep to 120 columns where they are hand-written", () => {
    const whole = new Set(generated.flatMap((page) => (page.partly === true ? [] : [page.path])));
    const byHand = pages.filter(({ path }) => !whole.has(path));
    assert.deepEqual(byHand.flatMap(findWideLines), []);
  });

  it("can all be reached by links from the README", () => {
    const reached = new Set(["README.md"]);
    for (const path of reached) {
      for (const [, link = ""] of readFile(path).text.matchAll(/\]\(([^)#\s]+\.md)[^)]*\)/g)) {
        const target = join(path, "..", link);
        if (existsSync(join(root, target))) reached.add(target);
      }
    }
    // The decisions are read as a folder.
    const lonely = pages.filter(
      ({ path }) => !reached.has(path) && !path.startsWith("docs/decisions/"),
    );
    assert.deepEqual(
      lonely.map(({ path }) => path),
      [],
    );
  });

  it("name whatever the service connects to, and how clients learn of changes", () => {
    const opens =
      /from "(?:node:https|[./]+\/basics\/bounded-fetch\.ts|@opentelemetry\/exporter-[^"]+)"/;
    const opening = readFiles("src/**/*.ts").filter(({ text }) => opens.test(text));
    const connecting = samples.flatMap(({ connects }) => connects ?? []);
    const folders = new Set(opening.map(({ path }) => dirname(path)));
    // A setting names the provider of the console.
    const expected = ["src/console/sign-in/openid", ...connecting.map(({ from }) => from)];
    assert.deepEqual(folders, new Set(expected));
    const ofPorts = readFile("docs/faq.md").text.split("### Which ports")[1]?.split("\n### ")[0];
    const ofNotices = /^\| notifications .*$/m.exec(readFile("docs/guides/migrating.md").text)?.[0];
    for (const { guide = "" } of connecting) assert.ok(ofPorts?.includes(guide), guide);
    for (const { noticesGuide = "" } of samples) {
      assert.ok(ofNotices?.includes(noticesGuide), noticesGuide);
    }
  });

  it("name no measurement of performance that is not one of all", () => {
    const { text } = readFile("docs/reference/performance.md");
    const named = [...text.matchAll(/npm\s+run\s+(bench|campaign)\s+--\s+([a-z][a-z-]*)/g)];
    const known = new Set(commands.map((command) => command.split(" ", 2).join(" ")));
    known.add("bench all");
    const unknown = named.map(([, program, name]) => `${program} ${name}`);
    assert.deepEqual(
      unknown.filter((one) => !known.has(one)),
      [],
    );
    assert.ok(named.length > 10);
  });

  it("name benchmarks that the help of the benchmarks lists", () => {
    const words = [join(root, "bench/main.ts"), "--help"];
    const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
    assert.equal(status, 0);
    const named = commands.flatMap((one) => /^bench (\S+)/.exec(one)?.[1] ?? []);
    // A feature brings its own.
    const present = named.filter(
      (name) => exists(`bench/${name}.ts`) || exists(`test/feature/${name}/bench/main.ts`),
    );
    for (const name of present) assert.match(stdout, new RegExp(`^  ${name} `, "m"));
    assert.ok(present.length > 10);
  });

  it("number their decisions without a gap", () => {
    const numbers = globSync("*.md", { cwd: join(root, "docs/decisions") }).sort();
    assert.deepEqual(
      numbers.map((name) => Number(name.slice(0, 4))),
      numbers.map((_, index) => index + 1),
    );
  });
});

describe("the rules for documents", () => {
  it("report links to files and headings that do not exist", () => {
    assert.equal(dead("[a](b.md)").length, 1);
    assert.equal(dead("[a](../a.md)").length, 1);
    assert.equal(dead("[a](a.md#third)").length, 1);
    assert.equal(dead("[a](#nowhere)").length, 1);
  });

  it("accept links to what exists, and links to other sites", () => {
    assert.deepEqual(dead("[a](a.md) [b](a.md#second) [c](./a.md#a-title-b-c)"), []);
    assert.deepEqual(dead("[a](https://example.com/a.md)\n\n```md\n[in code](b.md)\n```\n"), []);
  });

  it("report files that are named and do not exist", () => {
    assert.equal(missing("see `src/b.ts`").length, 1);
    assert.equal(missing("see `test/b/`, `SECURITY.md`").length, 2);
    assert.deepEqual(missing("see `src/a.ts`, `b.ts` and src/c.ts"), []);
  });

  it("report lines that are too long, outside tables, code and links", () => {
    assert.equal(wide("a ".repeat(61)).length, 1);
    assert.equal(wide(`- ${"a ".repeat(61)}`).length, 1);
    assert.deepEqual(wide(`| ${"a ".repeat(61)}|`), []);
    assert.deepEqual(wide(`\`\`\`\n${"a ".repeat(61)}\n\`\`\``), []);
    assert.deepEqual(wide("é".repeat(120)), []);
  });
});

function dead(text: string): readonly string[] {
  const titles = "# A title: `b`, c\n\n## Second\n";
  return findDeadLinks({ path: "docs/page.md", text }, (path) =>
    path === "docs/a.md" ? titles : undefined,
  );
}

function missing(text: string): readonly string[] {
  return findMissingFiles({ path: "a.md", text }, (path) => path === "src/a.ts");
}

function wide(text: string): readonly string[] {
  return findWideLines({ path: "a.md", text });
}
