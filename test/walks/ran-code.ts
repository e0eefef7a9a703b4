// Which functions of the source ran in a process, from the coverage that Node writes when a process or a thread ends.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** By path, the names of the functions that ran, and how often; a module itself has the name "". */
export type RanCode = ReadonlyMap<string, ReadonlyMap<string, number>>;

const root = fileURLToPath(new URL("../../", import.meta.url));

export function readRanCode(folder: string): RanCode {
  const ran = new Map<string, Map<string, number>>();
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as Coverage;
    for (const { url, functions } of result) {
      if (!url.startsWith("file:")) continue;
      const path = relative(root, fileURLToPath(url));
      if (!path.startsWith("src/")) continue;
      const names = ran.get(path) ?? new Map<string, number>();
      ran.set(path, names);
      for (const { functionName, ranges } of functions) {
        const count = ranges[0]?.count ?? 0;
        if (count > 0) names.set(functionName, (names.get(functionName) ?? 0) + count);
      }
    }
  }
  return ran;
}

interface Step {
  readonly line: number;
  readonly path: string;
  readonly names: readonly string[];
  readonly text: string;
}

/** The functions that steps name and that ran in none of the processes. */
export function findUnrun(
  steps: readonly Step[],
  processes: readonly RanCode[],
): readonly string[] {
  return steps.flatMap(({ line, path, names, text }) =>
    names
      .filter((name) => new RegExp(String.raw`\bfunction\*? ${name}\b`).test(text))
      .filter((name) => !processes.some((ran) => ran.get(path)?.has(name)))
      .map((name) => `${line}: ${name} of ${path} does not run`),
  );
}

/** Checkpoints come when the WAL is long or the store is closed, not with a request. */
const later = "src/store/sqlite/file/";

/** Files that no step names, though more than `unnamedMax` of their functions ran that don't run `besides`. */
export function findUnnamed(
  steps: readonly Step[],
  {
    ran,
    besides,
    unnamedMax,
  }: { readonly ran: RanCode; readonly besides: RanCode; readonly unnamedMax: number },
): readonly string[] {
  const named = new Set(steps.map(({ path }) => path));
  return [...ran]
    .filter(([path]) => !named.has(path) && !path.startsWith(later))
    .map(([path, names]) => {
      const others = besides.get(path);
      return { path, count: [...names.keys()].filter((name) => !others?.has(name)).length };
    })
    .filter(({ count }) => count > unnamedMax)
    .map(({ path, count }) => `${path}: ${count} functions run`);
}
