// What must occur in no file: marks of unfinished work, and paths of somebody's machine. Each is
// assembled here from parts, so that this file can be checked too.

import type { TextFile } from "../tree.ts";

interface Forbidden {
  readonly pattern: RegExp;
  readonly why: string;
}

const marks = ["TO-DO", "FIX-ME", "HA-CK", "WI-P"].map((mark) => mark.replace("-", ""));
const homes = ["home", "root", "Users", "work", "tmp", "mnt", "private"];

const forbidden: readonly Forbidden[] = [
  {
    pattern: new RegExp(`\\b(?:${marks.join("|")})\\b`),
    why: "finish it, or write down in docs/decisions why not",
  },
  {
    pattern: new RegExp(`(?<![\\w.~:}*/-])/(?:${homes.join("|")})/[\\w.-]+`),
    why: "a place on one machine",
  },
  { pattern: /\b[A-Z]:\\{1,2}[A-Za-z]/, why: "a place on one machine" },
  { pattern: new RegExp(["<<<<", "<<< "].join("")), why: "a merge that was not finished" },
];

export function findForbiddenWords({ path, text }: TextFile): readonly string[] {
  return text.split("\n").flatMap((line, index) =>
    forbidden.flatMap(({ pattern, why }) => {
      const [found] = pattern.exec(line) ?? [];
      return found === undefined ? [] : [`${path}:${index + 1}: "${found.trim()}": ${why}`];
    }),
  );
}

const messages = /^src\/(?:console|data-folder|domain|process|store)\//;

/** Strings of actions that tell somebody to type something, and messages that do so without `program-name.ts`. */
export function findShellCommands({ path, text }: TextFile): readonly string[] {
  const isAction = path.startsWith("src/actions/");
  if (!isAction && !messages.test(path)) return [];
  const command = isAction ? /["`].*(?:\bsluice\}? [a-z]|\s--[a-z])/ : /(?<!')\bsluice [a-z]/;
  return text.split("\n").flatMap((line, index) => {
    const code = line.replace(/^\s*(?:\/\/|\/?\*).*/, "");
    return command.test(code) ? [`${path}:${index + 1}: ${line.trim()}`] : [];
  });
}

const fragment = /\/\*\*(?:\s*\*)? (?:Also|As|By|Not|Of|With) /g;

/** Comments whose first words can only begin a fragment, or a sentence that is easier to read the other way round. */
export function findFragments({ path, text }: TextFile): readonly string[] {
  return [...text.matchAll(fragment)].map(
    ({ 0: begin, index }) => `${path}:${text.slice(0, index).split("\n").length}: ${begin.trim()}`,
  );
}

/**
 * Comments that name a file, such as `merge.ts` or `record/merge.ts`: a file with such an end has
 * to exist.
 */
export function findLostNames(
  { path, text }: TextFile,
  paths: readonly string[],
): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    const comment = /(?:^|\s)(?:\/\/|\/?\*{1,2}) (.*)$/.exec(line)?.[1] ?? "";
    const names = [...comment.matchAll(/(?<![\w./*-])[a-z][\w/-]*\.(?:ts|js|md)\b/g)].flat();
    return names
      .filter((name) => !paths.some((known) => known === name || known.endsWith(`/${name}`)))
      .map((name) => `${path}:${index + 1}: speaks of ${name}, which does not exist`);
  });
}
