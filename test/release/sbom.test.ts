// The bill of materials names everything that an installation has, once, and is the same for the same commit.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readLock } from "../../tools/release/files.ts";
import { makeSbom } from "../../tools/release/sbom.ts";
import { root } from "../repository/tree.ts";

interface Locked {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** What the dependencies of the root lead to, looked up as Node does. */
function installedPackages(): readonly string[] {
  const packages = readLock(root).packages as Readonly<Record<string, Locked>>;
  const reached = new Set([""]);
  for (const path of reached) {
    const { dependencies, optionalDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const folders = [path, path.replace(/(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, ""), ""];
      const places = folders.map((folder) => `${folder}${folder && "/"}node_modules/${name}`);
      const found = places.find((place) => place in packages);
      if (found !== undefined) reached.add(found);
    }
  }
  reached.delete("");
  return [...reached].map((path) => {
    return `${path.replace(/^.*node_modules\//, "")}@${packages[path]?.version}`;
  });
}

const made = await makeSbom(root, 1_769_851_800);

describe("the bill of materials of the package", () => {
  it("names every package that an installation has, once, and no other", () => {
    const { components } = made;
    const named = components.map(({ name, version }) => `${name}@${version}`).sort();
    assert.deepEqual([...new Set(named)], [...new Set(installedPackages())].sort());
    assert.ok(named.some((name) => name.startsWith("pg@")));
    assert.ok(!named.some((name) => /^(?:typescript|node-linux)/.test(name)));
  });

  it("has the time of the commit, and nothing that differs from one run to the next", async () => {
    assert.equal(made.metadata.timestamp, "2026-01-31T09:30:00.000Z");
    assert.deepEqual(await makeSbom(root, 1_769_851_800), made);
  });
});
