// The bills of materials: they are valid by the official schema, and name all that is installed, and the check finds
// what is wrong.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readManifest } from "../../tools/release/files.ts";
import { readLock } from "../../tools/release/lock.ts";
import { makeSbom, type Sbom } from "../../tools/release/sbom/document.ts";
import { findSbomProblems } from "../../tools/release/sbom/find-problems.ts";
import { describeImage } from "../../tools/release/sbom/image-content.ts";
import { describePackage } from "../../tools/release/sbom/package-content.ts";
import { root } from "../repository/tree.ts";

const lock = readLock(root);
const manifest = readManifest(root, ".");
const content = describePackage(manifest, lock, { withOptional: true });
const sbom = makeSbom(content, 1_769_851_800);

describe("the bill of materials of the package", () => {
  it("is valid, and the same for the same input", () => {
    assert.deepEqual(findSbomProblems(sbom), []);
    assert.deepEqual(makeSbom(content, 1_769_851_800), sbom);
    assert.notEqual(makeSbom(content, 1_769_851_801).serialNumber, sbom.serialNumber);
    assert.equal(sbom.metadata.timestamp, "2026-01-31T09:30:00.000Z");
  });

  it("names every package that an installation without development dependencies has, once", () => {
    const installed = Object.entries(lock.packages)
      .filter(([path, { dev, link }]) => /node_modules\//.test(path) && !dev && !link)
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`)
      // The Node of a checkout is of a workspace, which is not part of the package.
      .filter((name) => !/^node-(?:bin-)?(?:linux|darwin|win)-/.test(name));
    const named = sbom.components.map(({ group, name, version }) => {
      return `${group === undefined ? "" : `${group}/`}${name}@${version}`;
    });
    assert.deepEqual([...named].sort(), [...new Set(installed)].sort());
    assert.ok(named.some((name) => name.startsWith("pg@")));
    for (const { hashes = [] } of sbom.components) {
      assert.match(hashes[0]?.content ?? "", /^[0-9a-f]{128}$/);
    }
  });
});

describe("the bill of materials of the image", () => {
  it("is valid, and has Node, its libraries and the service, without optional packages", async () => {
    const service = describePackage(manifest, lock, { withOptional: false });
    const image = await describeImage(service, process.execPath);
    assert.deepEqual(findSbomProblems(makeSbom(image, 0)), []);
    const names = new Set(image.components.map(({ name }) => name));
    for (const name of ["sluice", "node", "libc.so.6", "fastify"]) assert.ok(names.has(name));
    assert.ok(!names.has("pg-cloudflare"));
    const node = image.components.find(({ name }) => name === "node");
    assert.equal(node?.version, process.versions.node);
    const inside = node?.components?.map(({ name }) => name) ?? [];
    assert.ok(inside.includes("openssl") && inside.includes("sqlite"));
  });
});

describe("the check of a bill of materials", () => {
  const first = sbom.components[0];
  const wrong: Readonly<Record<string, unknown>> = {
    "an unknown field": { ...sbom, added: true },
    "another format": { ...sbom, bomFormat: "SPDX" },
    "a serial number that is none": { ...sbom, serialNumber: "1" },
    "a time that is none": { ...sbom, metadata: { ...sbom.metadata, timestamp: "yesterday" } },
    "a component without a name": { ...sbom, components: [{ type: "library" }] },
    "a component twice": { ...sbom, components: [...sbom.components, first] },
    "an unknown licence": {
      ...sbom,
      components: [{ ...first, licenses: [{ license: { id: "None" } }] }],
    },
    "a checksum that is none": {
      ...sbom,
      components: [{ ...first, hashes: [{ alg: "SHA-512", content: "0" }] }],
    },
    "a reference to nothing": {
      ...sbom,
      dependencies: [...sbom.dependencies, { ref: "pkg:npm/a@1", dependsOn: [] }],
    },
    "a component without its dependencies": { ...sbom, dependencies: sbom.dependencies.slice(1) },
  };
  for (const [what, document] of Object.entries(wrong)) {
    it(`finds ${what}`, () => {
      assert.notDeepEqual(findSbomProblems(document as Sbom), []);
    });
  }
});
