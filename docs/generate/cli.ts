// The reference page of the command line, in Markdown, from the table of commands. Prints nothing itself.

import type { Command, Parameter } from "../../src/cli/command.ts";
import { loadTable } from "../../src/process/command-table.ts";
import { exitCodes } from "../../src/cli/run.ts";
import { allOperatorErrors } from "../../src/process/tables.ts";
import { optionFlags } from "../../src/cli/option-flag.ts";

const { commands } = await loadTable();

const opening = `# Command line

Every command is \`sluice …\`, or \`npx sluice …\` in the checkout. Settings come from the environment, see
[settings](settings.md). Durations are a whole number and a unit, such as \`90d\`, \`12h\`, \`30m\` or \`45s\`. All commands
except \`serve\`, \`restore\` and \`move\` can be run while a server uses the store.

**Output.** Results go to standard output, errors and warnings to standard error. With \`--json\`, both are JSON,
errors as \`{"error": {"name", "message"}}\`.

**Help.** \`sluice --help\` lists the commands, and \`sluice help COMMAND\` explains one. Short for \`--organization\` is \`-o\`, for every command that has it.

**Stores.** \`serve\`, \`migrate\` and \`organization create\` create the store if there is none, and \`restore\` replaces it.
All other commands that need one fail if there is none, and create nothing.

**Files.** A command that writes a file replaces an existing one only if an option tells it to, and does not create
folders.

**Audit trail.** The trail records the user of the operating system as the actor of a command, or the operator named with
\`--as NAME\`, which every command accepts. The operator must exist and be active, and the command can do what
[the roles of the operator](operator-rights.md) may do; the right that it needs is named below. \`restore\` finds the operator in
the store that it replaces, or in the backup where there is none that can be read.

**Exit codes.**

${renderExitCodes()}

**Errors.** The names that \`--json\` shows, and the status with which the console answers the same error. A command can also
fail with \`settings\`, \`internal\` or [an error of the API](errors.md), and then exits with 1.

${renderErrors()}`;

function renderExitCodes(): string {
  const rows = Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  return ["| code | meaning |", "|---|---|", ...rows].join("\n");
}

export function renderCliReference(): string {
  return `${[opening, ...commands.map(renderCommand)].join("\n\n")}\n`;
}

function renderErrors(): string {
  const rows = Object.entries(allOperatorErrors).map(
    ([name, { exitCode, status, meaning }]) =>
      `| \`${name}\` | ${exitCode} | ${status} | ${meaning} |`,
  );
  return ["| name | exit code | status | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

function renderCommand(command: Command): string {
  const parts = [`## \`sluice ${command.name}\``, command.summary];
  if (command.details !== undefined) parts.push(command.details);
  parts.push(["```sh", ...command.examples, "```"].join("\n"));
  const rows = [
    ...Object.values(command.arguments).map((parameter) =>
      row(parameter.placeholder + (parameter.form === "list" ? "…" : ""), parameter),
    ),
    ...Object.entries(command.options).map(([name, parameter]) =>
      row(`${optionFlags(name).join(", ")} ${parameter.placeholder}`.trim(), parameter),
    ),
  ];
  if (rows.length > 0)
    parts.push(
      ["| argument or option | required | meaning |", "|---|---|---|", ...rows].join("\n"),
    );
  if (command.rights.length > 0) {
    const rights = command.rights.map((right) => `\`${nameOf(right)}\``).join(" or ");
    parts.push(`With \`--as\`, it needs the right ${rights}.`);
  }
  return parts.join("\n\n");
}

function row(form: string, { required, fallback, summary }: Parameter<unknown>): string {
  const needed = required ? "yes" : fallback === undefined ? "no" : `no, default \`${fallback}\``;
  return `| \`${form.replaceAll("|", "\\|")}\` | ${needed} | ${summary} |`;
}

function nameOf(right: Command["rights"][number]): string {
  return typeof right === "string" ? right : right.name;
}
