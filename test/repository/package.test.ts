// The package: dependencies, lock file, scripts; the real ones and examples that fail.

import assert from "node:assert/strict";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  findLockFaults,
  findMissingStarts,
  findUnexplained,
  findUnpinned,
  type Manifest,
} from "./rule/package.ts";
import { exists, readFile, readFiles, root } from "./tree.ts";

describe("the package", () => {
  const manifest = JSON.parse(readFile("package.json").text) as Manifest;

  it("pins every dependency to one version", () => {
    assert.deepEqual(findUnpinned(manifest), []);
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

  it("says of every dependency why it is there", () => {
    assert.deepEqual(findUnexplained(manifest, readFiles("docs/decisions/*.md")), []);
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
    assert.deepEqual(findLockFaults(readFile("package-lock.json")), []);
    const fine = '"integrity": "sha512-abc",\n"url": "https://github.com/sponsors/somebody"';
    assert.deepEqual(lock(fine), []);
    assert.equal(lock(`${fine}\n"resolved": "somewhere"`).length, 1);
    assert.equal(lock(`${fine}\n"a": "https://registry.example.com/a.tgz"`).length, 1);
    assert.equal(lock("{}").length, 1);
  });

  it("starts files that exist", () => {
    assert.deepEqual(findMissingStarts(manifest, exists), []);
    assert.equal(
      findMissingStarts({ scripts: { a: "node src/nowhere.ts --now" } }, exists).length,
      1,
    );
    assert.equal(findMissingStarts({ bin: { a: "bin/nowhere.js" } }, exists).length, 1);
  });

  it("has a pipeline that can be started", () => {
    accessSync(join(root, ".ci/run"), constants.X_OK);
  });
});

function lock(text: string): readonly string[] {
  return findLockFaults({ path: "package-lock.json", text });
}
