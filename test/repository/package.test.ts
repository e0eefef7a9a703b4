// The package: dependencies, lock file, scripts; the real ones and examples that fail.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  findLockedEngines,
  findLockViolations,
  findMissingStarts,
  findUnexplained,
  findUnlocked,
  findUnpinned,
  type Lock,
  type Manifest,
} from "./rule/package.ts";
import { exists, readFile, readFiles, root } from "./tree.ts";

describe("the package", () => {
  const manifest = JSON.parse(readFile("package.json").text) as Manifest;
  const ownNode = JSON.parse(readFile("tools/node/package.json").text) as Manifest;

  it("pins every dependency to one version", () => {
    assert.deepEqual([...findUnpinned(manifest), ...findUnpinned(ownNode)], []);
    for (const version of [
      "^1.2.3",
      "~1.2.3",
      "1.2",
      "*",
      "latest",
      ">=1.2.3",
      "git+https://a/b",
    ]) {
      assert.equal(findUnpinned({ dependencies: { name: version } }).length, 1, version);
    }
  });

  it("states why each dependency is there", () => {
    const dependencies = { ...manifest.dependencies, ...ownNode.optionalDependencies };
    const all = { ...manifest, dependencies };
    assert.deepEqual(findUnexplained(all, readFiles("docs/decisions/*.md")), []);
    const decisions = [
      {
        path: "docs/decisions/a.md",
        text: "| package | why |\n|---|---|\n| `one` | Does what takes long. |\n",
      },
    ];
    assert.deepEqual(findUnexplained({ dependencies: { one: "1.0.0" } }, decisions), []);
    const two = { dependencies: { one: "1.0.0" }, devDependencies: { two: "1.0.0" } };
    assert.equal(findUnexplained(two, decisions).length, 1);
    assert.equal(findUnexplained({}, decisions).length, 1);
  });

  it("locks versions and checksums, and no address of a registry", () => {
    assert.deepEqual(findLockViolations(readFile("package-lock.json")), []);
    const fine = '"integrity": "sha512-abc",\n"url": "https://github.com/sponsors/somebody"';
    assert.deepEqual(lock(fine), []);
    assert.deepEqual(lock(`${fine}\n"resolved": "tools/node"`), []);
    assert.equal(lock(`${fine}\n"resolved": "somewhere"`).length, 1);
    assert.equal(lock(`${fine}\n"a": "https://registry.example.com/a.tgz"`).length, 1);
    assert.equal(lock("{}").length, 1);
  });

  it("locks everything that is installed, and lets no package install more by a script", () => {
    const locked = JSON.parse(readFile("package-lock.json").text) as Lock;
    assert.deepEqual(findUnlocked(locked), []);
    const fine = { "": {}, "node_modules/a": { integrity: "sha512-abc" } };
    assert.deepEqual(findUnlocked({ packages: fine }), []);
    for (const more of [{}, { integrity: "sha512-abc", hasInstallScript: true }]) {
      assert.equal(findUnlocked({ packages: { ...fine, "node_modules/b": more } }).length, 1);
    }
  });

  it("is installed by an older Node without warnings, and runs with its own", () => {
    const locked = JSON.parse(readFile("package-lock.json").text) as Lock;
    assert.deepEqual(findLockedEngines(locked), []);
    const engines = { node: ">=22" };
    const packages = { "": { engines }, "node_modules/a": { engines }, "node_modules/b": {} };
    assert.equal(findLockedEngines({ packages }).length, 1);
    // Otherwise npm compares the engines of the package itself.
    assert.equal(manifest.devEngines?.runtime.name, "node");
  });

  it("installs no Node where the package is installed", () => {
    assert.equal(manifest.optionalDependencies, undefined);
  });

  it("includes one version of Node for each platform in a checkout, which the launcher finds", () => {
    const { optionalDependencies = {} } = ownNode;
    const names = Object.keys(optionalDependencies);
    assert.ok(names.length > 1 && names.every((name) => name.startsWith("node-")));
    assert.equal(new Set(Object.values(optionalDependencies)).size, 1);
    const version = Object.values(optionalDependencies)[0];
    const path = join(root, "node_modules", `node-${process.platform}-${process.arch}`);
    assert.equal(execFileSync(join(path, "bin/node"), ["--version"]).toString(), `v${version}\n`);
  });

  it("starts files that exist", () => {
    assert.deepEqual(findMissingStarts(manifest, exists), []);
    assert.equal(
      findMissingStarts({ scripts: { a: "node src/nowhere.ts --now" } }, exists).length,
      1,
    );
    assert.equal(findMissingStarts({ bin: { a: "bin/nowhere.js" } }, exists).length, 1);
  });

  it("ignores what npm pack leaves in a checkout, for both packages", () => {
    const names = [manifest, JSON.parse(readFile("client/package.json").text) as Manifest];
    const files = names.map(
      ({ name = "" }) => `${name.replace("@", "").replace("/", "-")}-1.0.0.tgz`,
    );
    for (const path of [...files, "dist/index.js", "client/dist/index.js"]) {
      const { status } = spawnSync("git", ["check-ignore", "--no-index", "-q", path], {
        cwd: root,
      });
      assert.equal(status, 0, path);
    }
  });

  it("has a pipeline that can be started", () => {
    accessSync(join(root, ".ci/run"), constants.X_OK);
  });
});

function lock(text: string): readonly string[] {
  return findLockViolations({ path: "package-lock.json", text });
}
