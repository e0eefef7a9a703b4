// The packages that the lock file installs for production, found by following the dependencies of the root. The marks
// `dev` and `optional` of the file are not enough: a package of a workspace has neither.

import { readJson } from "./files.ts";

export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly lockfileVersion?: number;
  /** By path; the root is "". */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface ProductionPackage {
  readonly path: string;
  readonly name: string;
  readonly locked: LockedPackage;
  /** The paths of the packages that it imports. */
  readonly needs: readonly string[];
  /** An installation may leave it out: only optional dependencies lead to it. */
  readonly isOptional: boolean;
}

export function readLock(root: string): Lock {
  const lock = readJson(root, "package-lock.json") as Partial<Lock>;
  if (lock.packages === undefined) throw new Error("package-lock.json: lists no packages.");
  return { ...lock, packages: lock.packages };
}

/** Sorted by path, without the root. */
export function productionPackages(lock: Lock): readonly ProductionPackage[] {
  const required = reach(lock, [""], requiredNames);
  const all = reach(lock, [""], allNames);
  return [...all]
    .filter((path) => path !== "")
    .sort()
    .map((path) => ({
      path,
      name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      locked: lock.packages[path] ?? {},
      needs: needsOf(lock, path),
      isOptional: !required.has(path),
    }));
}

/** The paths of what a package imports; the root is "". */
export function needsOf(lock: Lock, path: string): readonly string[] {
  const names = allNames(lock.packages[path] ?? {});
  const found = names.map((name) => resolve(lock, path, name));
  return [...new Set(found.filter((need) => need !== undefined))].sort();
}

function reach(
  lock: Lock,
  start: readonly string[],
  namesIn: (locked: LockedPackage) => readonly string[],
): ReadonlySet<string> {
  const reached = new Set(start);
  // Grows while it is read; each path is added once.
  for (const path of reached) {
    for (const name of namesIn(lock.packages[path] ?? {})) {
      const found = resolve(lock, path, name);
      if (found !== undefined) reached.add(found);
    }
  }
  return reached;
}

function requiredNames({ dependencies, peerDependencies }: LockedPackage): readonly string[] {
  return [dependencies, peerDependencies].flatMap((names) => namesOf(names));
}

function allNames(locked: LockedPackage): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies } = locked;
  return [dependencies, optionalDependencies, peerDependencies].flatMap((names) => namesOf(names));
}

function namesOf(dependencies: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.keys(dependencies);
}

/** As Node does: in the folder of the package, then in those around it. Undefined for a peer that is not installed. */
function resolve({ packages }: Lock, from: string, name: string): string | undefined {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))
  ) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    const found = packages[path];
    if (found !== undefined) return found.dev === true ? undefined : path;
    if (folder === "") return undefined;
  }
}
