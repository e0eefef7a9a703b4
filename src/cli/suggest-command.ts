// Suggests commands for one that does not exist. Runs none of them.

import { closestName } from "../domain/validation/suggest.ts";
import { commands } from "./commands.ts";

/** Names that other programs use for these commands. */
const otherNames: Readonly<Record<string, string>> = {
  start: "serve",
  run: "serve",
  server: "serve",
  init: "migrate",
  upgrade: "migrate",
  org: "organization",
  orgs: "organization",
};

const suggestionsMax = 3;

/** Full names of commands, the closest first; empty if none is close. */
export function suggestCommands(words: readonly string[]): readonly string[] {
  const [first = "", second = ""] = words;
  const group = nearestFirst(first);
  const found = group === undefined ? withSecondWord(first, second) : ofGroup(group, second);
  return found.slice(0, suggestionsMax);
}

/** Suggests commands for words in the wrong order, such as `create organization`. */
function withSecondWord(verb: string, noun: string): readonly string[] {
  const names = namesWhere(([, word]) => word === verb);
  const group = nearestFirst(noun);
  return group === undefined ? names : names.filter((name) => name.startsWith(`${group} `));
}

function ofGroup(group: string, verb: string): readonly string[] {
  const names = namesWhere(([word]) => word === group);
  const verbs = names.flatMap((name) => name.split(" ")[1] ?? []);
  const meant = closestName(verb, verbs);
  return meant === undefined ? names : [`${group} ${meant}`];
}

function nearestFirst(word: string): string | undefined {
  const firsts = new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""));
  if (firsts.has(word)) return word;
  return Object.hasOwn(otherNames, word) ? otherNames[word] : closestName(word, firsts);
}

function namesWhere(matches: (words: readonly string[]) => boolean): readonly string[] {
  return commands.map(({ name }) => name).filter((name) => matches(name.split(" ")));
}
