// Runs one command line and returns its exit code (see exit-code.ts). Results go to standard output and errors to
// standard error, both as JSON with --json. Never ends the process itself.

import { CommanderError } from "commander";
import { describeUnknownSettings } from "../settings/config.ts";
import { OperatorError, UsageError } from "../actions/operator/operator-error.ts";
import { escapeControls } from "./output/control-characters.ts";
import { viewError } from "./output/error-view.ts";
import type { CommandTable } from "./command.ts";
import { paint } from "./output/paint.ts";
import { makeContext, type ProcessContext } from "./context.ts";
import { exitCode } from "./exit-code.ts";
import { type Invocation, joinWords, makeProgram } from "./program.ts";
import { describeUsageError } from "./usage-error.ts";

export async function run(
  table: CommandTable,
  words: readonly string[],
  processContext: ProcessContext,
): Promise<number> {
  const json = words.includes("--json");
  try {
    return await perform(table, words, processContext);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode.success;
    if (error instanceof CommanderError && error.code === "commander.help") return exitCode.usage;
    const known =
      error instanceof CommanderError
        ? new UsageError(describeUsageError(table, error, words))
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

async function runInvocation(
  table: CommandTable,
  { command, values, json, as }: Invocation,
  processContext: ProcessContext,
): Promise<number> {
  // A server logs them like everything else.
  if (!json && command.name !== "serve") warnOfUnknownSettings(table, processContext);
  const context = makeContext(processContext, { json, as, table, rights: command.rights });
  const result = await command.run(context, values);
  if (result === undefined) return exitCode.success;
  processContext.out.write(`${json ? JSON.stringify(result.json) : result.text}\n`);
  return result.hasFinding === true ? exitCode.finding : exitCode.success;
}

function warnOfUnknownSettings(
  { settings }: CommandTable,
  { environment, err }: ProcessContext,
): void {
  for (const warning of describeUnknownSettings(environment, settings)) {
    err.write(
      `sluice: ${paint("yellow", "warning:", { err, environment, json: false })} ${warning}\n`,
    );
  }
}

function report(
  error: unknown,
  { err, environment }: ProcessContext,
  { json, words }: { readonly json: boolean; readonly words: readonly string[] },
): void {
  const view = viewError(error, words);
  const message = escapeControls(view.message, words);
  const opening = paint("red", "sluice:", { err, environment, json });
  err.write(json ? `${JSON.stringify({ error: view })}\n` : `${opening} ${message}\n`);
  const wanted = environment["LOG_LEVEL"] === "debug" || environment["LOG_LEVEL"] === "trace";
  if (wanted && error instanceof Error && !json) err.write(`${error.stack ?? ""}\n`);
}
