// The templates of a Helm chart as text: every action is closed, every block has its end, and every value and
// definition that is named exists. Renders nothing.

import type { TextFile } from "../../repository/tree.ts";

const opening: ReadonlySet<string> = new Set(["if", "range", "with", "define", "block"]);

export function findTemplateErrors(
  templates: readonly TextFile[],
  values: object,
): readonly string[] {
  const defined = new Set(
    templates.flatMap(({ text }) =>
      [...text.matchAll(/\{\{-? *define "([\w.]+)"/g)].map(([, name = ""]) => name),
    ),
  );
  return templates.flatMap(({ path, text }) =>
    [
      ...findOpenBlocks(text),
      ...namesIn(text, /\binclude "([\w.]+)"/g)
        .filter((name) => !defined.has(name))
        .map((name) => `there is no definition ${name}`),
      ...namesIn(text, /\.Values\.([A-Za-z][\w.]*)/g)
        .filter((name) => !hasValue(values, name.split(".")))
        .map((name) => `there is no value ${name}`),
    ].map((why) => `${path}: ${why}`),
  );
}

function findOpenBlocks(text: string): readonly string[] {
  const actions = [...text.matchAll(/\{\{-?\s*(\/\*[\s\S]*?\*\/|[\s\S]*?)\s*-?\}\}/g)];
  if ([...text.matchAll(/\{\{/g)].length !== actions.length) return ["an action is not closed"];
  const open: string[] = [];
  for (const [, action = ""] of actions) {
    const [word = ""] = action.split(/\s/);
    if (opening.has(word)) open.push(action);
    if (word === "end" && open.pop() === undefined) return ["an end without a beginning"];
  }
  return open.map((action) => `"${action}" has no end`);
}

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name.replace(/\.$/, ""));
}

function hasValue(values: unknown, path: readonly string[]): boolean {
  const [first, ...rest] = path;
  if (first === undefined) return true;
  if (typeof values !== "object" || values === null || !(first in values)) return false;
  return hasValue((values as Readonly<Record<string, unknown>>)[first], rest);
}
