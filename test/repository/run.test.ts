// The test runner, on tests of its own: what it finds, what it prints, and when it fails.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { makeTempFolder } from "../support/temp-folder.ts";
import { root } from "./tree.ts";

const passing = 'import { it } from "node:test";\nit("passes", () => {});\n';
const failing = `import { describe, it } from "node:test";
import assert from "node:assert/strict";
describe("a group", () => {
  it("passes", (context) => context.diagnostic("seven clicks"));
  it("fails", () => { console.log("a hint"); assert.equal(1, 2); });
});
`;

/** Runs and reports files as the test runner does with short ones. */
const together = `import { run } from "node:test";
import { separate } from "${root}/test/separate.ts";
import { TestReport } from "${root}/test/test-report.ts";
delete process.env["NODE_TEST_CONTEXT"];
const report = new TestReport("/", (text) => process.stdout.write(text));
const asSeparate = separate();
for await (const event of run({ files: ["${root}/test/together/units.ts"] })) report.take(asSeparate(event));
process.exitCode = report.close() ? 0 : 1;
`;

describe("the test runner", () => {
  const folder = makeTempFolder();

  it("runs a single file, whatever its groups are named, and ends with the counts", () => {
    const named = failing.replace("a group", "/health").replace("equal(1, 2)", "ok(true)");
    const place = write({ "two.test.ts": failing, "path.test.ts": named });
    const { status, out } = run(join(place, "path.test.ts"));
    assert.equal(status, 0, out);
    assert.match(out, /^ok {3}.*path\.test\.ts \(2 tests, \d+ ms\)$/m);
    assert.match(out, /^# tests 2\n# suites 1\n# pass 2\n# fail 0\n/m);
    assert.match(out, /# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms \d+\n$/);
    assert.doesNotMatch(out, /Skipped:/);
  });

  it("runs every file below a path, and says of each what failed, where and why, and what was skipped", () => {
    const skipping = `import { describe, it } from "node:test";
describe("a group", { skip: "helm is not installed" }, () => { it("is in it", () => {}); });
describe("another", () => { it("is one", { skip: "needs go" }, () => {}); it("passes", () => {}); });
it("is another", (context) => context.skip("needs go"));
it("says nothing", (context) => context.skip());
`;
    const { status, out } = run(
      write({
        "deep/passing.test.ts": passing,
        "no-test.ts": failing,
        "failing.test.ts": failing,
        "unloaded.test.ts": 'throw new Error("on loading");\n',
        "empty.test.ts": "export {};\n",
        "skipping.test.ts": skipping,
      }),
    );
    assert.equal(status, 1);
    assert.match(out, /^ok {3}.*passing\.test\.ts \(1 test, \d+ ms\)$/m);
    assert.match(out, /^FAIL a group › fails\n {2}.*failing\.test\.ts:5\n {2}AssertionError/m);
    assert.match(out, /^ {2}a hint$/m);
    assert.match(out, /^ {5}seven clicks$/m);
    assert.match(out, /Error: on loading/);
    assert.match(out, /empty\.test\.ts\n {2}There is no test in it\./);
    assert.match(out, /^# pass 3\n# fail 3$/m);
    const [, table = ""] = /\nSkipped:\n([\s\S]*?)\n\n# tests/.exec(out) ?? [];
    const rows = table.split("\n").map((row) => row.replace(/\S*skipping\.test\.ts/, "FILE"));
    assert.deepEqual(rows, [
      "  helm is not installed  FILE: a group",
      "  needs go               FILE: 2 tests",
      "  without a reason       FILE: says nothing",
    ]);
  });

  it("fails where there is no test, and runs none", () => {
    const place = write({ "one.test.ts": passing, "empty/two.ts": passing });
    for (const path of ["empty", "nowhere.test.ts"]) {
      const { status, out } = run(place, join(place, path));
      assert.equal(status, 2);
      assert.match(out, new RegExp(`^There is no test in .*${path}\\.\n$`));
    }
  });

  it("runs short files in one process, and reports each as if it ran on its own", () => {
    const names = ["format-count", "url-hostname"];
    const { status, out } = run(...names.map((name) => join(root, `test/basics/${name}.test.ts`)));
    assert.equal(status, 0, out);
    assert.match(out, /^ok {3}test\/basics\/url-hostname\.test\.ts \(5 tests, \d+ ms\)$/m);
    assert.match(out, /^ok {3}test\/together\/units\.ts \(\d tests, /m);
  });

  it("names the file, the line and the reason of a failure in one of these", () => {
    const place = write({
      "a.test.ts": failing,
      "b.test.ts": 'throw new Error("unloaded");\n',
      "c.test.ts": "export {};\n",
      "d.test.ts": `import { before } from "node:test";
before(() => { throw new Error("in a hook"); });
${passing}`,
      "e.test.ts": passing,
      "f.test.ts":
        'import { describe } from "node:test";\ndescribe("all", { skip: "needs go" });\n',
      "run.ts": together,
    });
    const files = ["a", "b", "c", "d", "e", "f"].map((name) => join(place, `${name}.test.ts`));
    const { status, stdout: text } = spawnSync(process.execPath, [join(place, "run.ts")], {
      env: { ...process.env, SLUICE_TEST_TOGETHER: JSON.stringify({ units: files }) },
      encoding: "utf8",
    });
    assert.equal(status, 1);
    assert.match(text, /^FAIL .*a\.test\.ts \(2 tests, \d+ ms\)$/m);
    assert.match(text, /^FAIL a group › fails\n {2}.*a\.test\.ts:5\n {2}AssertionError/m);
    assert.match(text, /^FAIL .*b\.test\.ts\n.*\n {2}Error: unloaded$/m);
    assert.match(text, /^FAIL .*c\.test\.ts\n {2}There is no test in it\.$/m);
    assert.match(text, /^FAIL .*d\.test\.ts\n.*\n {2}Error: in a hook$/m);
    assert.match(text, /^ok {3}.*e\.test\.ts \(1 test, \d+ ms\)$/m);
    assert.match(text, /^ok {3}.*f\.test\.ts \(0 tests, \d+ ms\)$/m);
  });

  it("names the test that was running when the process of several files ended", () => {
    const ending = `import { it } from "node:test";
it("ends the process", async () => {
  await new Promise((resolve) => process.stdout.write("so far", resolve));
  setTimeout(() => process.exit(3), 100);
  await new Promise(() => {});
});
`;
    const place = write({ "a.test.ts": passing, "b.test.ts": ending, "run.ts": together });
    const files = ["a", "b"].map((name) => join(place, `${name}.test.ts`));
    const { status, stdout: text } = spawnSync(process.execPath, [join(place, "run.ts")], {
      env: { ...process.env, SLUICE_TEST_TOGETHER: JSON.stringify({ units: files }) },
      encoding: "utf8",
    });
    assert.equal(status, 1);
    assert.match(text, /^ {2}Tests that had started:\n.*b\.test\.ts: ends the process$/m);
  });

  let count = 0;

  function write(files: Readonly<Record<string, string>>): string {
    count += 1;
    const place = join(folder, String(count));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), text);
    }
    return place;
  }
});

function run(...paths: readonly string[]): { status: number | null; out: string } {
  const words = [join(root, "test/run.ts"), ...paths];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  return { status, out: stderr + stdout };
}
