// No file may import itself by way of others, not even for types: files in a cycle can't be
// understood separately.

import { posix } from "node:path";
import { type CodeFile, importsOf } from "../syntax.ts";

/** Each cycle once, as the paths along it. */
export function findCycles(files: readonly CodeFile[]): readonly string[] {
  const graph = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const done = new Set<string>();
  const rings: string[] = [];

  function follow(path: string, trail: readonly string[]): void {
    const from = trail.indexOf(path);
    if (from !== -1) {
      rings.push(`import cycle: ${[...trail.slice(from), path].join(" → ")}`);
      return;
    }
    if (done.has(path)) return;
    for (const target of graph.get(path) ?? []) follow(target, [...trail, path]);
    done.add(path);
  }

  for (const path of graph.keys()) follow(path, []);
  return rings;
}

function targetsOf(file: CodeFile): readonly string[] {
  return importsOf(file)
    .filter(({ specifier }) => specifier.startsWith("."))
    .map(({ specifier }) => posix.join(posix.dirname(file.path), specifier));
}
