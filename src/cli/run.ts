// Runs one command line from its words to an exit code: 0 done, 1 failed, 2 not typed as it has to be.
// Results go to standard output and errors to standard error, both as JSON with --json; never ends the process itself.

import { CommanderError } from "commander";
import { UsageError, viewError } from "./cli-error.ts";
import { makeContext, type Surroundings } from "./context.ts";
import { type Invocation, makeProgram } from "./program.ts";

export async function run(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const json = words.includes("--json");
  try {
    return await perform(words, surroundings);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === "commander.help") return 2;
    const known = error instanceof CommanderError ? new UsageError(usageMessage(error)) : error;
    report(known, surroundings, json);
    return known instanceof UsageError ? 2 : 1;
  }
}

async function perform(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { out, err } = surroundings;
  let exitCode = 0;
  const program = makeProgram(async (invocation) => {
    exitCode = await carryOut(invocation, surroundings);
  });
  const output = {
    writeOut: (text: string) => out.write(text),
    writeErr: (text: string) => err.write(text),
    outputError: () => undefined,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
    getOutHelpWidth: () => 100,
    getErrHelpWidth: () => 100,
  };
  for (const part of [
    program,
    ...program.commands,
    ...program.commands.flatMap(({ commands }) => commands),
  ]) {
    part.configureOutput(output);
  }
  await program.parseAsync(askedForHelp(words), { from: "user" });
  return exitCode;
}

/** `sluice help key create` is what many type for `sluice key create --help`. */
function askedForHelp(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  return first === "help" ? [...rest, "--help"] : words;
}

async function carryOut(
  { command, values, json, as }: Invocation,
  surroundings: Surroundings,
): Promise<number> {
  const result = await command.run(makeContext(surroundings, { json, as }), values);
  if (result === undefined) return 0;
  surroundings.out.write(`${json ? JSON.stringify(result.json) : result.text}\n`);
  return result.exitCode ?? 0;
}

function usageMessage({ code, message }: CommanderError): string {
  const said = message.replace(/^error: /, "").replaceAll("\n", " ");
  // Every command takes --json, so where it is unknown no command was named.
  const isNameless = code === "commander.unknownOption" && said.includes("'--json'");
  if (!isNameless && code !== "commander.unknownCommand") return said;
  return `${isNameless ? "the command is missing" : said}; sluice --help lists all commands`;
}

function report(error: unknown, { err, environment }: Surroundings, json: boolean): void {
  const view = viewError(error);
  err.write(json ? `${JSON.stringify({ error: view })}\n` : `sluice: ${view.message}\n`);
  const wanted = environment["LOG_LEVEL"] === "debug" || environment["LOG_LEVEL"] === "trace";
  if (wanted && error instanceof Error && !json) err.write(`${error.stack ?? ""}\n`);
}
