// The walks through the code in docs/reading-the-code.md: numbered lists of files, each of which one can reach from a
// file above it with an editor's "go to definition".

import { posix } from "node:path";
import type { TextFile } from "../tree.ts";

export interface Step {
  readonly line: number;
  readonly path: string;
  /** Identifiers that the step names. */
  readonly names: readonly string[];
}

export interface Walk {
  readonly heading: string;
  readonly steps: readonly Step[];
}

/** A walk is a section with items such as "3. `src/process/serve.ts`: `serve()` opens the store". */
export function readWalks({ text }: TextFile): readonly Walk[] {
  const walks: { heading: string; steps: Step[] }[] = [];
  let names: string[] | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.startsWith("#")) {
      walks.push({ heading: line.replaceAll("#", "").trim(), steps: [] });
      names = undefined;
      continue;
    }
    const path = /^\d+\. `([^`]+)`/.exec(line)?.[1];
    if (path !== undefined) {
      names = [];
      walks.at(-1)?.steps.push({ line: index + 1, path, names });
    } else if (!line.startsWith("   ")) names = undefined;
    for (const [, name = ""] of line.matchAll(/`([A-Za-z_$][\w$]*)(?:\(\))?`/g)) names?.push(name);
  }
  return walks.filter(({ steps }) => steps.length > 0);
}

export function findWalkViolations(
  { heading, steps }: Walk,
  { files, stepsMax }: { readonly files: ReadonlyMap<string, string>; readonly stepsMax: number },
): readonly string[] {
  const violations: string[] = [];
  const reachable = new Set<string>(steps.slice(0, 1).map(({ path }) => path));
  for (const { line, path, names } of steps) {
    const text = files.get(path);
    if (text === undefined) {
      violations.push(`${line}: there is no ${path}`);
      continue;
    }
    if (!reachable.has(path)) violations.push(`${line}: no file above names ${path}`);
    for (const name of names) {
      if (!new RegExp(String.raw`\b${name}\b`).test(text))
        violations.push(`${line}: ${path} has no ${name}`);
    }
    for (const target of targetsOf(path, text)) reachable.add(target);
  }
  const count = new Set(steps.map(({ path }) => path)).size;
  if (count > stepsMax) violations.push(`${heading}: ${count} files, at most ${stepsMax}`);
  return violations;
}

/** What a file imports, and the threads that it starts. */
function targetsOf(path: string, text: string): readonly string[] {
  const imported = [...text.matchAll(/\bfrom "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/g)];
  const threads = [...text.matchAll(/\bstartThread\(import\.meta\.url, "([^"]+)"/g)];
  return [
    ...imported.map(([, one, other]) => one ?? other ?? ""),
    ...threads.map(([, one = ""]) => `${one}.ts`),
  ].map((target) => posix.join(posix.dirname(path), target));
}
