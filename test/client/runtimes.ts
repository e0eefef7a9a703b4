// The runtimes that the client supports, as far as they are installed.

import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";

export interface Runtime {
  readonly name: string;
  /** The command that runs a program, with its first arguments; undefined where it is not installed. */
  readonly command: readonly [string, ...string[]] | undefined;
}

export const runtimes: readonly Runtime[] = [
  { name: "the Node of the checkout", command: [process.execPath] },
  { name: "Node 20", command: findNode(20) },
  { name: "Node 22", command: findNode(22) },
  { name: "Bun", command: findProgram("bun", "run") },
  { name: "Deno", command: findProgram("deno", "run", "--quiet", "--allow-net") },
];

/** In the PATH, where the first of several is often that of the checkout. */
function findNode(major: number): readonly [string] | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const places = [...new Set(folders)].map((folder) => join(folder, "node"));
  const found = places.find((place) => versionOf(place).startsWith(`v${major}.`));
  return found === undefined ? undefined : [found];
}

function findProgram(
  name: string,
  ...words: readonly string[]
): readonly [string, ...string[]] | undefined {
  return versionOf(name) === "" ? undefined : [name, ...words];
}

/** Empty where the program does not run. */
function versionOf(program: string): string {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout : "";
}
