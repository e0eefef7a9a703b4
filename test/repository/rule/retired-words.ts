// Words that the project no longer uses, and the standard term to write instead. docs/concepts/glossary.md defines the
// terms. A word is found in prose, in identifiers (`wipeFile`) and in file names (`give-back`); fields in snake case
// are data.

import type { TextFile } from "../tree.ts";

interface RetiredWord {
  /** Words separated by spaces; each may have the endings in brackets: `door(s)`. */
  readonly word: string;
  readonly instead: string;
  /** Not in identifiers, where a field of the API or of stored data has this name. */
  readonly onlyProse?: true;
}

export const retiredWords: readonly RetiredWord[] = [
  { word: "door(s)", instead: "entry point, HttpContext" },
  { word: "visit", instead: "RequestContext" },
  { word: "manner(s)", instead: "options" },
  { word: "judge(s|d|ment|ments)", instead: "evaluate, evaluation" },
  { word: "judging", instead: "evaluating" },
  { word: "unfit", instead: "invalid" },
  { word: "wipe(s|d)", instead: "scrub" },
  { word: "wiping", instead: "scrubbing" },
  { word: "unallocated", instead: "free, unused" },
  { word: "frozen file(s)", instead: "checkpoint freeze" },
  { word: "freeze file", instead: "freeze checkpoints" },
  { word: "give back", instead: "release" },
  { word: "given back", instead: "released" },
  { word: "bring in", instead: "checkpoint" },
  { word: "keep log", instead: "pin the WAL" },
  { word: "empty log", instead: "truncate the WAL, empty WAL" },
  { word: "log place", instead: "WAL position" },
  { word: "log part", instead: "WAL part" },
  { word: "log pages", instead: "WAL pages" },
  { word: "log keeper", instead: "WAL pin" },
  { word: "log file of the store", instead: "WAL" },
  { word: "torn log(s)", instead: "torn WAL" },
  { word: "turn snapshot", instead: "shared read" },
  { word: "sound head", instead: "ambiguous request" },
  { word: "patience", instead: "retry policy, wait" },
  { word: "in peace", instead: "without timeouts" },
  { word: "carry out", instead: "process, replay" },
  { word: "carries out", instead: "processes, replays" },
  { word: "carried out", instead: "processed, replayed", onlyProse: true },
  { word: "carrying out", instead: "processing, replaying" },
  { word: "look(s|ed|ing) again", instead: "check again, verification pass" },
  { word: "look again", instead: "check again, verification pass" },
  { word: "taken back", instead: "rolled back" },
  { word: "put(s) off", instead: "postpone" },
  { word: "spoil(s|t|ed|er|ers|ing)", instead: "corrupt" },
  { word: "cell fault", instead: "cell error" },
  { word: "json fault", instead: "JSON syntax error" },
  { word: "server fault", instead: "server error" },
  { word: "key made", instead: "created key" },
  { word: "key wanted", instead: "key options" },
  { word: "record shown", instead: "record details" },
  { word: "surroundings", instead: "process context" },
  { word: "stranger(s)", instead: "another organization, another user" },
  { word: "carry on", instead: "continue, resume" },
  { word: "carries on", instead: "continues, resumes" },
  { word: "carried on", instead: "continued, resumed" },
  { word: "hang together", instead: "are related" },
  { word: "hangs together", instead: "is related" },
  { word: "be had", instead: "be obtained" },
  { word: "unlike any", instead: "unique" },
  { word: "under way", instead: "in progress" },
  { word: "anew", instead: "again" },
  { word: "told of", instead: "informed about, notified" },
  { word: "told apart", instead: "distinguished" },
  { word: "at hand", instead: "available, current" },
  { word: "come(s) to the same", instead: "has the same effect" },
  { word: "in the place of", instead: "instead of" },
  { word: "take(s|n) along", instead: "include" },
  { word: "goes by", instead: "uses, depends on" },
  { word: "break(s) off", instead: "is interrupted" },
  { word: "broken off", instead: "interrupted" },
];

const patterns = retiredWords.map((entry) => ({ pattern: patternOf(entry), ...entry }));

/**
 * Also where the parts are joined as in `giveBack` and `give-back`, and inside longer identifiers.
 */
function patternOf({ word, onlyProse }: RetiredWord): RegExp {
  const parts = word.split(" ").map((part) => {
    const [, stem = part, endings] = /^(\w+)\(([\w|]+)\)$/.exec(part) ?? [];
    return endings === undefined ? stem : `${stem}(?:${endings})?`;
  });
  const first = `[${word[0]}${word[0]?.toUpperCase()}]`;
  if (onlyProse === true) return new RegExp(`\\b${first}${parts.join(" ").slice(1)}\\b`);
  const small = parts.join("[ -]?");
  const joined = parts.map((part) => `[${part[0]?.toUpperCase()}]${part.slice(1)}`).join("");
  const begins = parts.map((part) => `[${part[0]}${part[0]?.toUpperCase()}]${part.slice(1)}`);
  return new RegExp(
    `(?<![A-Za-z_])(?:${small}|${begins.join("[ -]?")})(?![a-z_])|(?<=[a-z])${joined}(?![a-z_])`,
  );
}

/** Files that have to name them. */
const namesThem: ReadonlySet<string> = new Set([
  "test/repository/rule/retired-words.ts",
  "test/repository/words.test.ts",
]);

export function findRetiredWords({ path, text }: TextFile): readonly string[] {
  if (namesThem.has(path) || !/^(?:src|client|test|bench|bin|docs)\//.test(path)) return [];
  return [path, ...text.split("\n")].flatMap((line, index) =>
    patterns.flatMap(({ pattern, instead }) => {
      const [found] = pattern.exec(line) ?? [];
      return found === undefined ? [] : [`${path}:${index}: "${found}": write ${instead}`];
    }),
  );
}
