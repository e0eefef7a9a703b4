// Arguments for every command of the table, valid as far as its parameters define, so that a test
// can run each of them; new commands are included automatically.

import type { Command, Parameter } from "../../src/cli/command.ts";
import { loadTable } from "../../src/process/command-table.ts";
import { optionFlag } from "../../src/cli/option-flag.ts";
import { commandsWith } from "../feature/samples.ts";

const { commands } = await loadTable();

/** Tried in this order; the first that a parameter accepts is its value. */
const values = [
  "transaction",
  "acme",
  "1",
  "2026-01-31",
  "on",
  "90d",
  "bash",
  "viewer",
  "person:read",
  "sub=intake",
];

/**
 * Commands that create a store where there is none, or put one in its place (docs/reference/cli.md
 * says so).
 */
const creating: ReadonlySet<string> = new Set([
  "serve",
  "migrate",
  "organization create",
  "restore",
]);

/** Commands that do not open a store. */
const apart: ReadonlySet<string> = new Set([
  "openapi",
  ...Object.keys(commandsWith("opensNoStore")),
]);

export interface TypedCommand {
  readonly name: string;
  readonly words: readonly string[];
  readonly creates: boolean;
  readonly opensStore: boolean;
}

/** `input` is a file that exists; `output` one that does not. */
export function everyCommand(files: {
  readonly input: string;
  readonly output: string;
}): readonly TypedCommand[] {
  return commands.map((command) => ({
    name: command.name,
    words: [...command.name.split(" "), ...wordsOf(command, files)],
    creates: creating.has(command.name),
    opensStore: !apart.has(command.name),
  }));
}

function wordsOf(
  command: Command,
  { input, output }: { readonly input: string; readonly output: string },
): readonly string[] {
  const file = command.name === "backup" ? output : input;
  const valueOf = (parameter: Parameter<unknown>): string => {
    if (parameter.placeholder === "FILE") return file;
    if (parameter.placeholder === "URL") return "postgres://somebody@127.0.0.1:1/none";
    const found = values.find((value) => isTaken(parameter, value));
    if (found === undefined) throw new Error(`no value for ${parameter.placeholder}`);
    return found;
  };
  const given = Object.values(command.arguments).map(valueOf);
  const options = Object.entries(command.options)
    .filter(([name, { required }]) => required || name === "organization")
    .flatMap(([name, parameter]) => [optionFlag(name), valueOf(parameter)]);
  return [...given, ...options];
}

function isTaken({ read }: Parameter<unknown>, value: string): boolean {
  try {
    read(value);
    return true;
  } catch {
    return false;
  }
}
