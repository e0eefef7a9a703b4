// Which packages of Debian, or of a distribution made from it, files belong to. None on other systems.

import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";

export interface DebianPackage {
  readonly distribution: string;
  readonly name: string;
  readonly version: string;
}

/** By path. A file that no package has is missing in the result. */
export function findDebianPackages(files: readonly string[]): ReadonlyMap<string, DebianPackage> {
  // Where /lib is a link to /usr/lib, a package may have either path.
  const byPath = new Map(
    files.flatMap((file) => [
      [file, file],
      [withoutUsr(file), file],
    ]),
  );
  const owners = linesOf("dpkg-query", "--search", ...byPath.keys()).map((line) =>
    line.split(": "),
  );
  const names = [...new Set(owners.map(([owner = ""]) => owner))];
  if (names.length === 0) return new Map();
  const format = "--showformat=${binary:Package}\t${Version}\n";
  const shown = linesOf("dpkg-query", "--show", format, ...names).map((line) => line.split("\t"));
  const versions = new Map(
    shown.map(([owner = "", version = ""]) => [withoutArch(owner), version]),
  );
  const distribution = readDistribution();
  return new Map(
    owners.map(([owner = "", path = ""]) => {
      const name = withoutArch(owner);
      return [byPath.get(path) ?? path, { distribution, name, version: versions.get(name) ?? "" }];
    }),
  );
}

function withoutUsr(path: string): string {
  return path.replace(/^\/usr\//, "/");
}

/** `libc6:amd64` is the package libc6. */
function withoutArch(owner: string): string {
  return owner.replace(/:.*/, "");
}

/** Nothing where the program is missing. It fails where it finds some of the files only, so its status says nothing. */
function linesOf(program: string, ...words: readonly string[]): readonly string[] {
  const { stdout } = spawnSync(program, words, { encoding: "utf8" });
  return (stdout ?? "").split("\n").filter((line) => line !== "");
}

function readDistribution(): string {
  return /^ID=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "debian";
}
