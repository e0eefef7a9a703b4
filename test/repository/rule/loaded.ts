// Which files and packages a process or a thread loads when it starts: those that its file imports, itself or by way of
// others. What is imported at run time is not loaded then, unless it is asked for.

import { posix } from "node:path";
import { isCallExpression } from "typescript/unstable/ast/is";
import { type CodeFile, importsOf } from "../syntax.ts";

interface Loaded {
  readonly files: ReadonlySet<string>;
  /** Sorted. */
  readonly packages: readonly string[];
}

/** `entry`: the file that is run. `later`: with what is imported at run time, except by files of the form `but`. */
export function findLoaded(
  files: readonly CodeFile[],
  entry: string,
  { later = false, but }: { readonly later?: boolean; readonly but?: RegExp } = {},
): Loaded {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const packages = new Set<string>();
  const seen = new Set<string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = byPath.get(path);
    if (file === undefined || seen.has(path) || but?.test(path) === true) continue;
    seen.add(path);
    for (const { specifier, typesOnly, node } of importsOf(file)) {
      if (typesOnly || (!later && isCallExpression(node))) continue;
      if (specifier.startsWith(".")) open.push(posix.join(posix.dirname(path), specifier));
      else if (!specifier.startsWith("node:")) packages.add(nameOf(specifier));
    }
  }
  if (!seen.has(entry)) throw new Error(`there is no file ${entry}`);
  return { files: seen, packages: [...packages].sort() };
}

function nameOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
