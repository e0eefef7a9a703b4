// Builds the command line from the table of commands with the library commander. No other file depends on the library.

import {
  Argument,
  Command as Program,
  InvalidArgumentError,
  Option,
  type OutputConfiguration,
} from "commander";
import { UsageError } from "../actions/operator/operator-error.ts";
import type { Command, CommandTable, Parameter } from "./command.ts";
import { commonOptions, optionFlags } from "./option-flag.ts";
import { version } from "../process/version.ts";

export interface Invocation {
  readonly command: Command;
  readonly values: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  /** The actor for the audit trail; undefined for the user of the operating system. */
  readonly as: string | undefined;
}

const opening =
  "Sluice receives financial records over HTTP, stores them durably and erases them on request. To begin, run " +
  "`sluice serve`; in a checkout, write `npx sluice` for `sluice`.";

const ending =
  "\n`sluice help COMMAND` explains a command, such as `sluice help key create`.\n" +
  "docs/reference has the settings, the exit codes, and what --json prints.";

/** Arguments are left out, so that the list fits a screen; the help of the command explains them. */
const help = { sortSubcommands: false, subcommandTerm: (one: Program) => one.name() };

export function makeProgram(
  table: CommandTable,
  output: OutputConfiguration,
  invoke: (invocation: Invocation) => Promise<void>,
): Program {
  const program = new Program("sluice")
    .configureOutput(output)
    .exitOverride()
    .helpOption("-h, --help", "Show this help.")
    .helpCommand(false)
    .version(version, "-V, --version", "Print the version.")
    .usage("COMMAND [options]")
    .description(opening)
    .addHelpText("after", ending)
    .configureHelp(help);
  for (const command of table.commands) {
    const [first = "", second] = command.name.split(" ");
    const group = program.commands.find((one) => one.name() === first);
    if (second === undefined || isCommand(table, first)) {
      define(add(program, command.name).helpGroup(headingOf(table, first)), command, invoke);
    } else define(add(group ?? addGroup(program, first, table), second), command, invoke);
  }
  return program;
}

function add(parent: Program, word: string): Program {
  const made = new Program(word).copyInheritedSettings(parent);
  parent.addCommand(made);
  return made;
}

function addGroup(program: Program, word: string, table: CommandTable): Program {
  return add(program, word)
    .helpGroup(headingOf(table, word))
    .usage("COMMAND [options]")
    .helpCommand("help", "Show the help of a command.")
    .description(table.groups[word] ?? "");
}

function headingOf({ headings }: CommandTable, word: string): string {
  const found = Object.entries(headings).find(([, words]) => words.includes(word));
  return `${found?.[0] ?? "Commands"}:`;
}

function isCommand({ commands }: CommandTable, words: string): boolean {
  return commands.some(({ name }) => name === words);
}

/** `export verify` counts as one word, because `export` is a command too. */
export function joinWords(table: CommandTable, words: readonly string[]): readonly string[] {
  const [first = "", second = "", ...rest] = words;
  const name = `${first} ${second}`;
  return isCommand(table, first) && isCommand(table, name) ? [name, ...rest] : words;
}

function define(
  made: Program,
  command: Command,
  invoke: (invocation: Invocation) => Promise<void>,
): void {
  const options = { ...command.options, ...commonOptions };
  made.summary(command.summary).description(describe(command));
  for (const argument of Object.values(command.arguments)) made.addArgument(makeArgument(argument));
  for (const option of Object.entries(options)) made.addOption(makeOption(option));
  const examples = command.examples.map((line) => `  ${line}`).join("\n");
  made.addHelpText("after", `\nExamples:\n${examples}`);
  made.action(async () => {
    const names = Object.keys(command.arguments);
    const read: Readonly<Record<string, Read | undefined>> = {
      ...made.opts<Readonly<Record<string, Read>>>(),
      ...Object.fromEntries(names.map((name, index) => [name, made.processedArgs[index] as Read])),
    };
    const { json, as, ...values } = Object.fromEntries(
      Object.entries({ ...command.arguments, ...options }).map(([name, parameter]) => [
        name,
        valueOf(parameter, read[name]),
      ]),
    );
    await invoke({ command, values, json: json === true, as: as as string | undefined });
  });
}

function describe({ summary, details }: Command): string {
  return details === undefined ? summary : `${summary}\n\n${details}`;
}

function makeArgument(parameter: Parameter<unknown>): Argument {
  const name = parameter.placeholder + (parameter.form === "list" ? "..." : "");
  const form = parameter.required ? `<${name}>` : `[${name}]`;
  return new Argument(form, parameter.summary).argParser(reader(parameter));
}

function makeOption([name, parameter]: [name: string, Parameter<unknown>]): Option {
  const summary = parameter.required ? `${parameter.summary} (required)` : parameter.summary;
  const flags = optionFlags(name).join(", ");
  if (parameter.form === "flag") {
    const option = new Option(flags, summary);
    // An option whose name begins with "no" is one of its own for commander, too.
    option.negate = false;
    return option;
  }
  const read = reader(parameter);
  const option = new Option(`${flags} <${parameter.placeholder}>`, summary)
    .argParser((text, before?: Read) => read(requireValue(text), before))
    .makeOptionMandatory(parameter.required);
  if (parameter.fallback === undefined) return option;
  return option.default(read(parameter.fallback), parameter.fallback);
}

/** The library takes the option that follows for the value. */
function requireValue(text: string): string {
  if (!text.startsWith("--")) return text;
  throw new InvalidArgumentError("The value is missing, or begins with --, which no value may.");
}

/** Wraps a value, because commander treats null as "not given". */
interface Read {
  readonly value: unknown;
}

function valueOf({ form }: Parameter<unknown>, read: Read | undefined): unknown {
  if (form === "flag") return read !== undefined;
  return form === "list" ? (read?.value ?? []) : read?.value;
}

function reader({ read, form }: Parameter<unknown>): (text: string, before?: Read) => Read {
  return (text, before) => {
    try {
      const value = read(text);
      if (form !== "list") return { value };
      const values = (before?.value ?? []) as readonly unknown[];
      return { value: [...values, ...(value as readonly unknown[])] };
    } catch (error) {
      if (error instanceof UsageError) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}
