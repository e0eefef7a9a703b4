// What must stand in no file: marks of unfinished work, and places on somebody's machine.
// Each is put together here from parts, so that this file may be looked at too.

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
