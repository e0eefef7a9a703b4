// Runs one command line and returns its exit code. Results go to standard output and errors to
// standard error, both as JSON with --json. Never ends the process itself.

import { CommanderError } from "commander";
import { OperatorError, UsageError } from "../actions/operator/operator-error.ts";
import { escapeControls } from "./output/control-characters.ts";
import { viewError } from "./output/error-view.ts";
import type { Command, CommandTable } from "./command.ts";
import { makeContext, type ProcessContext } from "./context.ts";
import { type Invocation, joinWords, makeProgram } from "./program.ts";
import { closestName } from "../domain/validation/suggest.ts";
import { optionFlag } from "./option-flag.ts";
import { sluice } from "../basics/program-name.ts";

export const exitCode = { success: 0, failure: 1, usage: 2, finding: 3 } as const;

export const exitCodes: Readonly<Record<string, string>> = {
  0: "success",
  1: "failure: an error; what was asked could not be done, or not completely",
  2: "usage error: the command line was wrong, and nothing was done",
  3: "done, with a finding: of `check`, a receipt, trail or file that is not valid, a row that was refused, a deletion that remains",
  129: "ended at once by a second SIGHUP",
  130: "ended at once by a second Ctrl-C (SIGINT)",
  143: "ended at once by a second SIGTERM",
};

export async function run(
  loadTable: CommandTable["load"],
  words: readonly string[],
  processContext: ProcessContext,
): Promise<number> {
  const json = words.includes("--json");
  try {
    const [first] = asOptions(words);
    return await perform(await loadTable(first), words, processContext);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode.success;
    if (error instanceof CommanderError && error.code === "commander.help") return exitCode.usage;
    const known =
      error instanceof CommanderError
        ? new UsageError(describeUsageError(await loadTable(), error, withoutHelp(words)))
        : error;
    report(known, processContext, { json, words });
    if (!(known instanceof OperatorError)) return exitCode.failure;
    return known.row.exitCode;
  }
}

async function perform(
  table: CommandTable,
  words: readonly string[],
  processContext: ProcessContext,
): Promise<number> {
  const { out, err } = processContext;
  let code: number = exitCode.success;
  const output = {
    writeOut: (text: string) => out.write(text),
    writeErr: (text: string) => err.write(text),
    outputError: () => undefined,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
    getOutHelpWidth: () => 80,
    getErrHelpWidth: () => 80,
  };
  requireHelped(table, words);
  const program = makeProgram(table, output, async (invocation) => {
    code = await runInvocation(table, invocation, processContext);
  });
  await program.parseAsync(joinWords(table, asOptions(words)), { from: "user" });
  return code;
}

/** Accepts `sluice help key create` and `sluice version` for the options of the same names. */
function asOptions(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === "version" && rest.length === 0) return ["--version"];
  return first === "help" ? [...rest, "--help"] : words;
}

/** The library shows the list of all commands instead of the help of one that does not exist. */
function requireHelped({ commands }: CommandTable, [first, ...rest]: readonly string[]): void {
  const options = rest.findIndex((word) => word.startsWith("-"));
  const name = (options === -1 ? rest : rest.slice(0, options)).join(" ");
  if (first !== "help" || ["", "help", "version"].includes(name)) return;
  if (commands.some((one) => beginsWith(one.name, name) || beginsWith(name, one.name))) return;
  const message = `unknown command '${name}'`;
  throw new CommanderError(exitCode.usage, "commander.unknownCommand", message);
}

function withoutHelp(words: readonly string[]): readonly string[] {
  return words[0] === "help" ? words.slice(1) : words;
}

function beginsWith(name: string, words: string): boolean {
  return `${name} `.startsWith(`${words} `);
}

async function runInvocation(
  table: CommandTable,
  { command, values, json, as }: Invocation,
  processContext: ProcessContext,
): Promise<number> {
  const context = makeContext(processContext, { json, as, table, rights: command.rights });
  const result = await command.run(context, values);
  if (result === undefined) return exitCode.success;
  processContext.out.write(`${json ? JSON.stringify(result.json) : result.text}\n`);
  return result.hasFinding === true ? exitCode.finding : exitCode.success;
}

function report(
  error: unknown,
  { err, environment }: ProcessContext,
  { json, words }: { readonly json: boolean; readonly words: readonly string[] },
): void {
  const view = viewError(error, words);
  const message = escapeControls(view.message, words);
  err.write(json ? `${JSON.stringify({ error: view })}\n` : `sluice: ${message}\n`);
  const wanted = environment["LOG_LEVEL"] === "debug" || environment["LOG_LEVEL"] === "trace";
  if (wanted && error instanceof Error && !json) err.write(`${error.stack ?? ""}\n`);
}

const listing = `\`${sluice} --help\` lists all commands.`;

function describeUsageError(
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
    const question = meant === undefined ? "" : `Did you mean \`${sluice} ${meant}\`? `;
    return `${withoutSuggestion}. ${question}${listing}`;
  }
  const command = commandIn(table, words);
  // The library reports missing options first, but a missing option is often just a mistyped one.
  const isMissing = code === "commander.missingMandatoryOptionValue";
  const mistyped = isMissing && command !== undefined ? mistypedOption(command, words) : undefined;
  const alone = isMissing && command !== undefined ? valueAlone(command, words, said) : undefined;
  const what = (mistyped ?? alone ?? said).replace(/\.$/, "");
  return `${what}${what.endsWith("?") ? "" : "."} ${whereToRead(table, command, words)}`;
}

function commandIn({ commands }: CommandTable, words: readonly string[]): Command | undefined {
  // The last one, because `export verify` follows `export`.
  return commands.findLast(({ name }) => {
    const own = name.split(" ");
    return own.every((word, index) => words[index] === word);
  });
}

/** The value of the option stands alone, as in `retention show acme`. */
function valueAlone({ name }: Command, words: readonly string[], said: string) {
  const [value = "-", ...more] = words.slice(name.split(" ").length);
  if (value.startsWith("-") || !more.every((word) => word.startsWith("-"))) return undefined;
  return `${said}; did you mean ${/--\w+/.exec(said)?.[0]} ${value}?`;
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
  if (command !== undefined) return `\`${sluice} ${command.name} --help\` explains the command.`;
  const isGroup = commands.some(({ name }) => name.startsWith(`${first} `));
  return isGroup ? `\`${sluice} ${first} --help\` lists its commands.` : listing;
}

const inOrder = (words: readonly string[]) => words.toSorted().join(" ");

/** The command or the group that was probably meant; its words may be in another order. */
function suggestCommand(
  { commands, groups }: CommandTable,
  words: readonly string[],
): string | undefined {
  const names = [...commands.map(({ name }) => name), ...Object.keys(groups)];
  const known = new Map(names.map((name) => [inOrder(name.split(" ")), name]));
  const typed = words.filter((word) => !word.startsWith("-")).slice(0, 2);
  const meant = closestName(inOrder(typed), known.keys());
  return meant === undefined ? undefined : known.get(meant);
}
