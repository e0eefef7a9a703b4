// The help of the whole program: one screen, and topics with the rest. The help of a command is built from its
// definition (program.ts).

import { Help } from "commander";
import { closestName } from "../domain/validation/suggest.ts";
import { settings } from "../settings/config.ts";
import { UsageError } from "../actions/operator/operator-error.ts";
import type { CommandTable } from "./command.ts";
import { exitCodes } from "./exit-code.ts";
import { suggestCommand } from "./usage-error.ts";

export const topics = {
  commands: "All commands, each with a summary.",
  settings: "All settings, with their defaults.",
  "exit-codes": "What the exit codes mean.",
  output: "Streams, JSON, and when colours are used.",
};

export const helpWidth = 80;

type Row = readonly [term: string, text: string];

/** At most 24 lines, so that it fits a terminal of the usual size. */
export function describeProgram({ headings }: CommandTable): string {
  const areas = Object.entries(headings).map(([area, words]): Row => [area, words.join(", ")]);
  const shown = [...areas, ...Object.entries(topics)];
  const termWidth = Math.max(...shown.map(([term]) => term.length));
  return [
    "Usage: sluice COMMAND [options]",
    "",
    "Sluice receives financial records over HTTP, stores them durably and erases them",
    "on request. To begin, run `sluice serve`; in a checkout, write `npx sluice` for",
    "`sluice`.",
    "",
    "Commands:",
    renderRows(areas, termWidth),
    "",
    "Topics:",
    renderRows(Object.entries(topics), termWidth),
    "",
    "`sluice help COMMAND` explains a command, such as `sluice help key create`, and",
    "`sluice help TOPIC` a topic. `sluice --version` prints the version.",
    "",
  ].join("\n");
}

const describeTopic: Readonly<Record<keyof typeof topics, (table: CommandTable) => string>> = {
  commands: describeCommands,
  settings: describeSettings,
  "exit-codes": () => renderRows(Object.entries(exitCodes)),
  output: describeOutput,
};

/**
 * The text of a topic; undefined if the words after `help` name a command or a group, or if there are none. Throws
 * UsageError for words that name nothing.
 */
export function findTopic(table: CommandTable, words: readonly string[]): string | undefined {
  const { commands, groups } = table;
  const names = words.filter((word) => !word.startsWith("-"));
  const [first, second] = names;
  if (first === undefined) return undefined;
  if (isTopic(first) && second === undefined) return `${describeTopic[first](table)}\n`;
  const isKnown = Object.hasOwn(groups, first)
    ? second === undefined || commands.some(({ name }) => name === `${first} ${second}`)
    : commands.some(({ name }) => name === first);
  if (isKnown) return undefined;
  throw new UsageError(describeUnknown(table, names));
}

function isTopic(word: string): word is keyof typeof topics {
  return Object.hasOwn(topics, word);
}

function describeUnknown(table: CommandTable, names: readonly string[]): string {
  const meant = closestName(names.join(" "), Object.keys(topics)) ?? suggestCommand(table, names);
  const question = meant === undefined ? "" : `Did you mean \`sluice help ${meant}\`? `;
  return `there is no command or topic '${names.join(" ")}'. ${question}\`sluice --help\` lists them.`;
}

function describeCommands({ commands, headings }: CommandTable): string {
  const termWidth = Math.max(...commands.map(({ name }) => name.length));
  return Object.entries(headings)
    .map(([area, words]) => {
      const found = commands.filter(({ name }) => words.includes(name.split(" ")[0] ?? ""));
      const rows = found.map(({ name, summary }): Row => [name, summary]);
      return `${area}:\n${renderRows(rows, termWidth)}`;
    })
    .join("\n\n");
}

function describeSettings(table: CommandTable): string {
  const rows = [...Object.values(settings), ...table.settings].map(
    ({ name, fallback, summary }): Row => {
      const otherwise = fallback === "" ? "" : ` (default: ${fallback})`;
      return [name, `${summary.replaceAll("`", "")}${otherwise}`];
    },
  );
  // Their names are long, and would leave little room for the other texts.
  const [telemetry = [], others = []] = [true, false].map((wanted) =>
    rows.filter(([name]) => name.startsWith("OTEL_") === wanted),
  );
  return [
    "Settings are read from the environment only.",
    renderRows(others),
    `OpenTelemetry:\n${renderRows(telemetry)}`,
  ].join("\n\n");
}

function describeOutput(): string {
  return renderRows([
    ["streams", "Results go to standard output; errors, warnings and progress to standard error."],
    ["--json", "One JSON value on standard output, and errors as JSON on standard error."],
    ["NDJSON", "Exports of records and of the audit trail, and changes: one JSON value a line."],
    ["colours", "On terminals only, and never with --json or TERM=dumb."],
    ["NO_COLOR", "Turns colours off if it is set to anything."],
    ["LOG_LEVEL", "With debug or trace, an error is followed by its stack trace."],
  ]);
}

function renderRows(rows: readonly Row[], termWidth = widest(rows)): string {
  const help = new Help();
  help.prepareContext({ helpWidth });
  // Commander would not wrap the texts beside long terms.
  help.minWidthToWrap = 30;
  return rows.map(([term, text]) => help.formatItem(term, termWidth, text, help)).join("\n");
}

function widest(rows: readonly Row[]): number {
  return Math.max(...rows.map(([term]) => term.length));
}
