// What may be in a package, and what the check finds.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findContentProblems } from "../../tools/release/check/contents.ts";
import { checkoutOf } from "./copy.ts";

const manifest = {
  name: "@sluice/client",
  main: "./dist/sluice.js",
  exports: { ".": { types: "./dist/sluice.d.ts", default: "./dist/sluice.js" } },
};
const fine = {
  "package.json": manifest,
  "README.md": "",
  LICENSE: "",
  "dist/sluice.js": "",
  "dist/sluice.d.ts": "",
};

function check(files: Readonly<Record<string, string | object>>): Promise<readonly string[]> {
  const inPackage = Object.entries(files).map(([path, text]) => [`package/${path}`, text] as const);
  const { root } = checkoutOf(Object.fromEntries(inPackage));
  const packed = join(root, "a.tgz");
  execFileSync("tar", ["-czf", packed, "-C", root, "package"]);
  return findContentProblems(packed);
}

describe("the check of a package's contents", () => {
  it("passes for what belongs there", async () => {
    assert.deepEqual(await check(fine), []);
  });

  it("finds files that do not belong there", async () => {
    const paths = [".env", "src/sluice.ts", "dist/sluice.test.ts", "data/sluice.db", "key.pem"];
    const found = await check({ ...fine, ...Object.fromEntries(paths.map((path) => [path, ""])) });
    assert.deepEqual(
      [...found].sort(),
      paths.map((path) => `a.tgz: ${path} does not belong there.`).sort(),
    );
    assert.match((await check({ ...fine, "package.json": { name: "a" } }))[0] ?? "", /not known/);
  });

  it("finds what is missing", async () => {
    const { "dist/sluice.d.ts": _, LICENSE: __, ...rest } = fine;
    assert.deepEqual(await check(rest), [
      "a.tgz: dist/sluice.d.ts is missing.",
      "a.tgz: LICENSE is missing.",
    ]);
  });

  it("finds secrets, and does not repeat them", async () => {
    const secret = "Abcdefghij0123456789".repeat(4);
    const secrets = [
      `-----BEGIN PRIVATE KEY-----\n${secret}`,
      `npm_${secret.slice(0, 36)}`,
      `ghp_${secret.slice(0, 36)}`,
      "AKIAABCDEFGHIJKLMNOP",
      `sluice_key_${secret.slice(0, 40)}`,
    ];
    const files = Object.fromEntries(
      secrets.map((text, index) => [`dist/${"abcde"[index]}.js`, text]),
    );
    const found = await check({ ...fine, ...files });
    assert.equal(found.length, secrets.length);
    for (const line of found) assert.match(line, /^a\.tgz: dist\/[a-e]\.js has an? [\w ]+\.$/);
  });
});
