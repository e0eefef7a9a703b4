// The message for a command line that is wrong: what is wrong, what was probably meant, and where to find help. Always
// one line.

import type { CommanderError } from "commander";
import { closestName } from "../domain/validation/suggest.ts";
import type { Command, CommandTable } from "./command.ts";
import { optionFlag } from "./option-flag.ts";

const listing = "`sluice --help` lists all commands.";

export function describeUsageError(
  table: CommandTable,
  { code, message }: CommanderError,
  words: readonly string[],
): string {
  const said = message
    .replace(/^error: /, "")
    .replace(/^command-argument value (.*) is invalid for argument '(\w+)'/, "$1 is invalid for $2")
    .replaceAll("\n", " ");
  // Every command has --json, so if it is unknown, no command was given.
  if (code === "commander.unknownOption" && said.includes("'--json'")) {
    return `the command is missing. ${listing}`;
  }
  if (code === "commander.unknownCommand") {
    const [withoutSuggestion = ""] = said.split(" (Did you mean ", 1);
    return `${withoutSuggestion}. ${suggest(table, words)}${listing}`;
  }
  const command = commandIn(table, words);
  // The library reports missing options first, but a missing option is often just a mistyped one.
  const isMissing = code === "commander.missingMandatoryOptionValue";
  const mistyped = isMissing && command !== undefined ? mistypedOption(command, words) : undefined;
  const misplaced = isMissing && command !== undefined ? misplacedValue(command, words, said) : "";
  const what = `${mistyped ?? said}${misplaced}`.replace(/\.$/, "");
  return `${what}${what.endsWith("?") ? "" : "."} ${whereToRead(table, command, words)}`;
}

/** The value of the option stands alone, as in `retention show acme`. */
function misplacedValue({ name }: Command, words: readonly string[], said: string): string {
  const flag = said.split(" ").find((word) => word.startsWith("--"));
  const alone = words.slice(name.split(" ").length);
  const isOne =
    alone[0] !== undefined && alone.every((word, at) => word.startsWith("-") || at === 0);
  return isOne && flag !== undefined && alone[0]?.startsWith("-") === false
    ? `; did you mean ${flag} ${alone[0]}?`
    : "";
}

function suggest(table: CommandTable, words: readonly string[]): string {
  const names = suggestCommands(
    table,
    words.filter((word) => !word.startsWith("-")),
  );
  if (names.length === 0) return "";
  return `Did you mean ${names.map((name) => `\`sluice ${name}\``).join(" or ")}? `;
}

function commandIn({ commands }: CommandTable, words: readonly string[]): Command | undefined {
  // The last one, because `export verify` follows `export`.
  return commands.findLast(({ name }) => {
    const own = name.split(" ");
    return own.every((word, index) => words[index] === word);
  });
}

function mistypedOption({ options }: Command, words: readonly string[]): string | undefined {
  const known = ["--json", "--help", ...Object.keys(options).map(optionFlag)];
  const flags = words.filter((word) => word.startsWith("--") && word.length > 2);
  const unknown = flags
    .map((word) => word.split("=")[0] ?? word)
    .find((flag) => !known.includes(flag));
  if (unknown === undefined) return undefined;
  const meant = closestName(unknown, known);
  return `unknown option '${unknown}'${meant === undefined ? "" : ` (Did you mean ${meant}?)`}`;
}

function whereToRead(
  { commands }: CommandTable,
  command: Command | undefined,
  [first = ""]: readonly string[],
): string {
  if (command !== undefined) return `\`sluice ${command.name} --help\` explains the command.`;
  const isGroup = commands.some(({ name }) => name.startsWith(`${first} `));
  return isGroup ? `\`sluice ${first} --help\` lists its commands.` : listing;
}

// Suggests commands for one that does not exist. Runs none of them.

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
export function suggestCommands(
  { commands }: CommandTable,
  words: readonly string[],
): readonly string[] {
  const [first = "", second = ""] = words;
  const names = commands.map(({ name }) => name);
  const group = nearestFirst(names, first);
  const found =
    group === undefined ? withSecondWord(names, first, second) : ofGroup(names, group, second);
  return found.slice(0, suggestionsMax);
}

type Names = readonly string[];

/** Suggests commands for words in the wrong order, such as `create organization`. */
function withSecondWord(all: Names, verb: string, noun: string): Names {
  const names = all.filter((name) => name.split(" ")[1] === verb);
  const group = nearestFirst(all, noun);
  return group === undefined ? names : names.filter((name) => name.startsWith(`${group} `));
}

function ofGroup(all: Names, group: string, verb: string): Names {
  const names = all.filter((name) => name.split(" ")[0] === group);
  const verbs = names.flatMap((name) => name.split(" ")[1] ?? []);
  const meant = closestName(verb, verbs);
  return meant === undefined ? names : [`${group} ${meant}`];
}

function nearestFirst(names: Names, word: string): string | undefined {
  const firsts = new Set(names.map((name) => name.split(" ")[0] ?? ""));
  if (firsts.has(word)) return word;
  return Object.hasOwn(otherNames, word) ? otherNames[word] : closestName(word, firsts);
}
