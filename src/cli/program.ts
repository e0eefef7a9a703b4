// Builds the command line from the table of commands with the library commander. No other file depends on the library.

import { Argument, Command as Program, InvalidArgumentError, Option } from "commander";
import { UsageError } from "../actions/operator-error.ts";
import { type Command, flag, optional, type Parameter } from "./command.ts";
import { commands, groups, headings } from "./commands.ts";
import { readOperator } from "./context.ts";
import { describeExitCodes, describeSettings } from "./output/settings-help.ts";
import { version } from "./version.ts";

export interface Invocation {
  readonly command: Command;
  readonly values: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  /** The actor for the audit trail; undefined for the user of the operating system. */
  readonly as: string | undefined;
}

/** Parsing calls `invoke` for the command that was given. */
export function makeProgram(invoke: (invocation: Invocation) => Promise<void>): Program {
  const program = configure(new Program("sluice"))
    .usage("COMMAND [options]")
    .description(
      "Sluice receives financial records over HTTP, stores them durably and erases them on request.\n" +
        "To begin, run `sluice serve` or `sluice demo`; in a checkout, write `npx sluice` for `sluice`.",
    )
    .version(version, "-V, --version", "Print the version.")
    .addHelpText("after", ({ error }) => `\n${error ? furtherHelp : fullHelp()}`);
  const byGroup = new Map<string, Program>();
  for (const command of commands) {
    const [first = "", second] = command.name.split(" ");
    if (second === undefined) {
      program.addCommand(underHeading(makeCommand(first, command, invoke)));
      continue;
    }
    const group = byGroup.get(first) ?? makeGroup(first);
    if (!byGroup.has(first)) program.addCommand(underHeading(group));
    byGroup.set(first, group);
    group.addCommand(makeCommand(second, command, invoke));
  }
  return program;
}

const furtherHelp =
  "`sluice help COMMAND` explains a command; `sluice --help` also lists the settings and exit codes.";

function fullHelp(): string {
  const hint = "`sluice help COMMAND` explains a command.";
  return [hint, describeExitCodes(), describeSettings()].join("\n\n");
}

function makeGroup(word: string): Program {
  return configure(new Program(word))
    .usage("COMMAND [options]")
    .description(groups[word] ?? "");
}

function underHeading(program: Program): Program {
  const has = ([, words]: readonly [string, readonly string[]]) => words.includes(program.name());
  const [heading] = Object.entries(headings).find(has) ?? [];
  return heading === undefined ? program : program.helpGroup(heading);
}

/** The options that every command has. */
const commonOptions = {
  json: flag("Print JSON on standard output, and errors as JSON on standard error."),
  as: optional(
    { placeholder: "NAME", read: readOperator },
    "Who you are, for the audit trail, instead of the user of the operating system.",
  ),
};

function makeCommand(
  word: string,
  command: Command,
  invoke: (invocation: Invocation) => Promise<void>,
): Program {
  const options = { ...command.options, ...commonOptions };
  const made = configure(new Program(word)).summary(command.summary).description(describe(command));
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
  return made;
}

function configure(program: Program): Program {
  return program
    .exitOverride()
    .helpOption("-h, --help", "Show this help.")
    .configureHelp({ showGlobalOptions: false, sortSubcommands: false, subcommandTerm })
    .helpCommand(false);
}

/** Every command has options, so the list of commands does not mention them. */
function subcommandTerm(program: Program): string {
  const given = program.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? ` ${name}` : ` [${name}]`;
  });
  return program.name() + given.join("");
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
  if (parameter.form === "flag") return new Option(optionFlag(name), summary);
  const option = new Option(`${optionFlag(name)} <${parameter.placeholder}>`, summary)
    .argParser(reader(parameter))
    .makeOptionMandatory(parameter.required);
  if (parameter.fallback === undefined) return option;
  return option.default(reader(parameter)(parameter.fallback), parameter.fallback);
}

/** `--deletion-grace` for `deletionGrace`. */
export function optionFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Wraps a value, because commander treats null as "not given". */
interface Read {
  readonly value: unknown;
}

/** A flag is just true, without this wrapper. */
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
