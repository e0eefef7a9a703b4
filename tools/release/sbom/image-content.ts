// What the container image holds in addition to the package: Node, what is compiled into it, and the shared libraries
// that it loads, as the build of the image finds them on this machine.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type DebianPackage, findDebianPackages } from "./debian.ts";
import type { Component, Content } from "./document.ts";

interface Library {
  /** In the image. */
  readonly path: string;
  /** On this machine. */
  readonly source: string;
}

interface Elf {
  readonly readElf: (path: string) => { readonly architecture: string };
  readonly findLibraries: (program: string, folder: string) => readonly Library[];
}

/** Compiled into Node: their names in process.versions, without those of data and interfaces. */
const compiledIn: ReadonlySet<string> = new Set([
  "ada",
  "ares",
  "brotli",
  "icu",
  "llhttp",
  "nghttp2",
  "openssl",
  "simdjson",
  "simdutf",
  "sqlite",
  "undici",
  "uv",
  "v8",
  "zlib",
  "zstd",
]);

/** `service` is the content of the package, without optional dependencies. */
export async function describeImage(
  service: Content,
  node: string,
): Promise<Content & { readonly architecture: string }> {
  // Plain JavaScript, because the image is built by any Node.
  const path = new URL("../../../deploy/container/elf.js", import.meta.url).href;
  const { readElf, findLibraries } = (await import(path)) as Elf;
  const { architecture } = readElf(node);
  const runtime = describeNode(node);
  const libraries = describeLibraries(findLibraries(node, "/"), architecture);
  const { name, version = "" } = service.component;
  const component: Component = {
    type: "container",
    "bom-ref": `image:${name}@${version}`,
    name,
    version,
    properties: [{ name: "sluice:platform", value: `linux/${architecture}` }],
  };
  const parts = [service.component, runtime];
  const needs = [
    { ref: component["bom-ref"], dependsOn: parts.map((part) => part["bom-ref"]) },
    { ref: runtime["bom-ref"], dependsOn: libraries.map((library) => library["bom-ref"]) },
  ];
  return {
    architecture,
    component,
    components: [...parts, ...libraries, ...service.components],
    dependencies: [...needs, ...service.dependencies],
  };
}

function describeNode(node: string): Component {
  const printed = execFileSync(node, ["-p", "JSON.stringify(process.versions)"]).toString();
  const versions = JSON.parse(printed) as Readonly<Record<string, string>>;
  const { node: version = "" } = versions;
  const purl = `pkg:generic/node@${version}`;
  return {
    type: "application",
    "bom-ref": purl,
    name: "node",
    version,
    hashes: [hashOf(node)],
    licenses: [{ license: { id: "MIT" } }],
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl,
    properties: [{ name: "sluice:path", value: "/usr/local/bin/node" }],
    components: Object.entries(versions)
      .filter(([name]) => compiledIn.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, found]) => describeCompiledIn(name, found)),
  };
}

function describeCompiledIn(name: string, version: string): Component {
  const purl = `pkg:generic/${name}@${encodeURIComponent(version)}`;
  return { type: "library", "bom-ref": `node:${purl}`, name, version, purl };
}

function describeLibraries(
  libraries: readonly Library[],
  architecture: string,
): readonly Component[] {
  const packages = findDebianPackages(libraries.map(({ source }) => source));
  return libraries.map(({ path, source }) => ({
    type: "library",
    "bom-ref": `file:${path}`,
    name: basename(path),
    ...describePackageOf(packages.get(source), architecture),
    hashes: [hashOf(source)],
    properties: [{ name: "sluice:path", value: path }],
  }));
}

function describePackageOf(
  found: DebianPackage | undefined,
  architecture: string,
): Pick<Component, "version" | "purl"> {
  if (found === undefined) return {};
  const { distribution, name, version } = found;
  const query = `?arch=${architecture}`;
  return {
    version,
    purl: `pkg:deb/${distribution}/${name}@${encodeURIComponent(version)}${query}`,
  };
}

function hashOf(path: string): { readonly alg: "SHA-256"; readonly content: string } {
  return { alg: "SHA-256", content: createHash("sha256").update(readFileSync(path)).digest("hex") };
}
