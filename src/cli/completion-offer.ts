// What can follow the words of a command line that were typed so far, from the table of commands. Knows no shell.

import type { Command, Parameter } from "./command.ts";
import { commonOptions, optionFlags } from "./option-flag.ts";

/** The possible first words after `sluice`. */
export interface CommandTable {
  readonly commands: readonly Command[];
  /** Summaries of the first words of commands with two words. */
  readonly groups: Readonly<Record<string, string>>;
  readonly topics: Readonly<Record<string, string>>;
}

export type OfferedWord = readonly [word: string, summary: string];

/** The words, or that the names of files or folders fit. */
export type Offer = readonly OfferedWord[] | "files" | "folders";

/** The words after `sluice`; the last one, which may be empty, is completed. */
export function completionOffer(table: CommandTable, typed: readonly string[]): Offer {
  // Bash splits --option=value into three words.
  const words = typed.filter((word) => word !== "=");
  if (typed.at(-1) === "=") words.push("");
  const current = words.pop() ?? "";
  const [, option, value] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  const offer =
    option === undefined
      ? offerAfter(table, words, current)
      : offerAfter(table, [...words, option], value ?? "");
  if (typeof offer === "string") return offer;
  const whole: readonly OfferedWord[] =
    option === undefined ? offer : offer.map(([word, about]) => [`${option}=${word}`, about]);
  return whole.filter(([word]) => word.startsWith(current));
}

function offerAfter(table: CommandTable, before: readonly string[], current: string): Offer {
  const [first, second] = before;
  if (first === undefined) return [...firstWords(table), ["help", "Explain."], ...ownOptions];
  if (first === "help") {
    if (second === undefined) return [...firstWords(table), ...Object.entries(table.topics)];
    return before.length === 2 ? secondWords(table, second) : [];
  }
  if (Object.hasOwn(table.groups, first) && before.length === 1) return secondWords(table, first);
  const [both, only] = [`${first} ${second}`, first].map((name) =>
    table.commands.find((one) => one.name === name),
  );
  const command = both ?? only;
  if (command === undefined) return [];
  const offer = offerOf(command, before.at(-1), current);
  // A command such as `export` may be the first word of another one.
  const isOpen = before.length === 1 && typeof offer !== "string";
  return isOpen ? [...secondWords(table, first), ...offer] : offer;
}

const ownOptions: readonly OfferedWord[] = ["-h", "--help", "-V", "--version"].map((word) => [
  word,
  "",
]);

function firstWords({ commands, groups }: CommandTable): readonly OfferedWord[] {
  const single = commands.filter(({ name }) => !name.includes(" "));
  return [
    ...single.map(({ name, summary }) => explained(name, summary)),
    ...Object.entries(groups),
  ];
}

function secondWords({ commands }: CommandTable, group: string): readonly OfferedWord[] {
  return commands
    .filter(({ name }) => name.startsWith(`${group} `))
    .map(({ name, summary }) => explained(name.slice(group.length + 1), summary));
}

function offerOf(command: Command, last: string | undefined, current: string): Offer {
  const options = Object.entries({ ...command.options, ...commonOptions });
  const named = options.find(([name]) => optionFlags(name).includes(last ?? ""));
  if (named !== undefined && named[1].form !== "flag") return valuesOf(named[1]);
  const flags = options.flatMap(([name, { summary }]) =>
    optionFlags(name).map((flag) => explained(flag, summary)),
  );
  const all: Offer = [...flags, ["-h", "Show the help."], ["--help", "Show the help."]];
  if (current.startsWith("-")) return all;
  const offers = Object.values(command.arguments).map(valuesOf);
  return offers.find((offer) => offer.length > 0) ?? all;
}

/** Empty if nothing can be offered. */
function valuesOf({ placeholder, values = [] }: Parameter<unknown>): Offer {
  if (placeholder === "FILE" && values.length === 0) return "files";
  if (placeholder === "DIR" && values.length === 0) return "folders";
  return values.map((value) => [value, ""]);
}

/** Menus of shells have one line for each word. */
function explained(word: string, text: string): OfferedWord {
  return [word, /^.*?\.(?= )/.exec(text)?.[0] ?? text];
}
