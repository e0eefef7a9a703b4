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
    const meant = suggestCommand(table, words);
    const question = meant === undefined ? "" : `Did you mean \`sluice ${meant}\`? `;
    return `${withoutSuggestion}. ${question}${listing}`;
  }
  const command = commandIn(table, words);
  // The library reports missing options first, but a missing option is often just a mistyped one.
  const isMissing = code === "commander.missingMandatoryOptionValue";
  const mistyped = isMissing && command !== undefined ? mistypedOption(command, words) : undefined;
  const what = (mistyped ?? said).replace(/\.$/, "");
  return `${what}${what.endsWith("?") ? "" : "."} ${whereToRead(table, command, words)}`;
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

const inOrder = (words: readonly string[]) => words.toSorted().join(" ");

/** The command or the group that was probably meant; its words may be in another order. */
export function suggestCommand(
  { commands, groups }: CommandTable,
  words: readonly string[],
): string | undefined {
  const names = [...commands.map(({ name }) => name), ...Object.keys(groups)];
  const known = new Map(names.map((name) => [inOrder(name.split(" ")), name]));
  const typed = words.filter((word) => !word.startsWith("-")).slice(0, 2);
  const meant = closestName(inOrder(typed), known.keys());
  return meant === undefined ? undefined : known.get(meant);
}
