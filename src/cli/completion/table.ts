// What shell completion offers, as plain data from the table of commands. Knows no shell.

import type { Command, Parameter } from "../command.ts";
import { commonOptions, optionFlags } from "../option-flag.ts";

/** What `sluice` accepts as its first words. */
export interface CommandTable {
  readonly commands: readonly Command[];
  /** Summaries of the first words of commands with two words. */
  readonly groups: Readonly<Record<string, string>>;
  readonly topics: Readonly<Record<string, string>>;
}

/** What can follow an option, or stand for an argument. */
export interface Value {
  readonly placeholder: string;
  readonly kind: "file" | "folder" | "choice" | "other";
  /** The values of a choice; otherwise empty. */
  readonly choices: readonly string[];
}

export interface OfferedOption {
  readonly flags: readonly string[];
  readonly summary: string;
  /** Undefined for a flag. */
  readonly value: Value | undefined;
  readonly repeatable: boolean;
}

export interface OfferedArgument extends Value {
  readonly summary: string;
  readonly repeatable: boolean;
}

export interface OfferedCommand {
  /** One or two words. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly options: readonly OfferedOption[];
  readonly arguments: readonly OfferedArgument[];
}

export type OfferedWord = readonly [word: string, summary: string];

export interface Offer {
  /** First words, with those of groups, `help` and `version`. */
  readonly firstWords: readonly OfferedWord[];
  /** What can follow `help`. */
  readonly helpWords: readonly OfferedWord[];
  readonly groups: Readonly<Record<string, readonly OfferedWord[]>>;
  readonly commands: readonly OfferedCommand[];
}

export function makeOffer({ commands, groups, topics }: CommandTable): Offer {
  const offered = commands.map(offerCommand);
  const single = offered.filter(({ words }) => words.length === 1);
  const explained: readonly OfferedWord[] = [
    ...single.map(({ words: [first = ""], summary }) => [first, firstSentence(summary)] as const),
    ...Object.entries(groups),
  ];
  return {
    firstWords: [
      ...explained,
      ["help", "Explain a command or a topic."],
      ["version", "Print the version."],
    ],
    helpWords: [...explained, ...Object.entries(topics)],
    groups: Object.fromEntries(
      Object.keys(groups).map((group) => [group, secondWords(offered, group)]),
    ),
    commands: offered,
  };
}

function secondWords(commands: readonly OfferedCommand[], group: string): readonly OfferedWord[] {
  return commands.flatMap(({ words: [first, second], summary }) =>
    first === group && second !== undefined ? [[second, firstSentence(summary)] as const] : [],
  );
}

function offerCommand({ name, summary, options, arguments: given }: Command): OfferedCommand {
  return {
    words: name.split(" "),
    summary,
    options: [
      ...Object.entries({ ...options, ...commonOptions }).map(offerOption),
      { flags: ["-h", "--help"], summary: "Show the help.", value: undefined, repeatable: false },
    ],
    arguments: Object.values(given).map((argument) => ({
      ...valueOf(argument),
      summary: firstSentence(argument.summary),
      repeatable: argument.form === "list",
    })),
  };
}

function offerOption([name, parameter]: [name: string, Parameter<unknown>]): OfferedOption {
  return {
    flags: optionFlags(name),
    summary: firstSentence(parameter.summary),
    value: parameter.form === "flag" ? undefined : valueOf(parameter),
    repeatable: parameter.form === "list",
  };
}

function valueOf({ placeholder, values = [] }: Parameter<unknown>): Value {
  if (values.length > 0) return { placeholder, kind: "choice", choices: values };
  const kind = placeholder === "FILE" ? "file" : placeholder === "DIR" ? "folder" : "other";
  return { placeholder, kind, choices: [] };
}

/** Menus of shells have one line for each word. */
function firstSentence(text: string): string {
  return /^.*?\.(?= )/.exec(text)?.[0] ?? text;
}
