// `npm run release` in a copy of the checkout: what it packs, what it says and its exit status; and that packing again
// gives the same bytes.

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { Checkout } from "../../tools/release/check.ts";
import { packNpm } from "../../tools/release/package-set.ts";
import { lacks } from "../deploy/packed.ts";
import { root } from "../repository/tree.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { commitAll, copyOf, edit } from "./copy.ts";

const run = promisify(execFile);
const notes = "## [Unreleased]\n\n## [";

const folders = [".github", "bin", "client", "clients", "deploy", "src", "tools"];
const files = [
  ".gitignore",
  ".npmrc",
  "LICENSE",
  "README.md",
  "SECURITY.md",
  "package.json",
  "package-lock.json",
  "tsconfig.build.json",
  "tsconfig.json",
  "docs/guides/installation.md",
];

/** What a release is made from, committed on main, with nothing unreleased. */
function copyAll(): Checkout {
  const copy = copyOf(...folders, ...files);
  const entry = `${notes}${copy.version}] - 2026-01-31\n\n### Added\n\n- It.\n`;
  writeFileSync(join(copy.root, "CHANGELOG.md"), `# Changelog\n\n${entry}`);
  symlinkSync(join(root, "node_modules"), join(copy.root, "node_modules"));
  edit(copy, ".gitignore", (text) => text.replace("node_modules/", "node_modules"));
  // Another test checks the types.
  edit(copy, "package.json", (text) => text.replace("build.json", "build.json --noCheck"));
  commitAll(copy);
  return copy;
}

async function release(
  { root: cwd }: Checkout,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const program = join(cwd, "tools/release/main.ts");
  try {
    const { stdout, stderr } = await run(process.execPath, [program, ...words], { cwd });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

const hashOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

describe("npm run release", () => {
  let copy: Checkout;
  before(() => {
    copy = copyAll();
  });

  it("packs everything and says how to publish it", async () => {
    const { code, stdout, stderr } = await release(copy);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /Nothing was published\. To publish it, push the tag/);
    const { version } = copy;
    const expected = [
      `go/sluice-go-${version}.tar.gz`,
      `helm/sluice-${version}.tgz`,
      `npm/sluice-${version}.tgz`,
      `npm/sluice-client-${version}.tgz`,
      `sbom/sluice-${version}.cdx.json`,
    ];
    const sums = readFileSync(join(copy.root, "release/SHA256SUMS"), "utf8").trimEnd().split("\n");
    for (const path of expected)
      assert.ok(
        sums.some((line) => line.endsWith(`  ${path}`)),
        path,
      );
    for (const line of sums) {
      const [hash, path = ""] = line.split("  ");
      assert.equal(hashOf(join(copy.root, "release", path)), hash);
    }
  });

  it("packs the same bytes again, from files with other times", async () => {
    const again = makeTempFolder();
    for (const path of ["LICENSE", "client/src/sluice.ts", "client/package.json"]) {
      utimesSync(join(copy.root, path), 1, 1);
    }
    await packNpm(copy.root, "./client", again);
    const name = `sluice-client-${copy.version}.tgz`;
    assert.equal(hashOf(join(again, name)), hashOf(join(copy.root, "release/npm", name)));
  });

  it("packs a chart that helm accepts", { skip: lacks("helm") }, () => {
    const chart = join(copy.root, `release/helm/sluice-${copy.version}.tgz`);
    const { status, stderr } = spawnSync("helm", ["lint", "--strict", chart], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
  });

  it("does not replace a folder with other files", async () => {
    const folder = makeTempFolder();
    writeFileSync(join(folder, "mine"), "");
    const { code, stdout } = await release(copy, "--dry-run", "--output", folder);
    assert.equal(code, 1);
    assert.match(stdout, /FAILED {2}packages {4}.* has other files \(mine\); name an empty folder/);
    assert.match(stdout, /Not ready: 1 of the checks failed\. Nothing was published\.\n$/);
  });

  it("names what is wrong, and does not say how to publish", async () => {
    const restore = edit(copy, "client/package.json", (text) =>
      text.replace(copy.version, "7.7.7"),
    );
    const { code, stdout } = await release(copy, "--output", ".");
    restore();
    assert.equal(code, 1);
    assert.match(stdout, /FAILED {2}work tree/);
    assert.match(stdout, /FAILED {2}versions .*client\/package\.json/);
    assert.doesNotMatch(stdout, /git tag|git push/);
  });

  it("refuses options that it does not know", async () => {
    const { code, stdout, stderr } = await release(copy, "--publish");
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^release: Unknown option '--publish'/);
  });
});
