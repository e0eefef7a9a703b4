// The reference page of the command line, in Markdown, from the table of commands. Prints nothing itself.

import type { Command, Parameter } from "./command.ts";
import { commands } from "./commands.ts";
import { optionFlag } from "./program.ts";

const opening = `# Command line

Every command is \`sluice …\`, or \`npx sluice …\` in the checkout. Settings come from the environment, see
[settings](settings.md). Results go to standard output and errors to standard error; with \`--json\` both are JSON, errors as
\`{"error": {"name", "message"}}\`. With \`--as NAME\` the audit trail has that name for what is done, otherwise the user of the
operating system. Exit codes: 0 done, 1 failed, 2 not typed as it has to be. Durations are a whole number
and a unit, such as \`90d\`, \`12h\`, \`30m\` or \`45s\`. All commands but \`serve\` work beside a serving process.`;

export function renderCliReference(): string {
  return `${[opening, ...commands.map(renderCommand)].join("\n\n")}\n`;
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
      row(`${optionFlag(name)} ${parameter.placeholder}`.trim(), parameter),
    ),
  ];
  if (rows.length > 0)
    parts.push(["| given | needed | what it is |", "|---|---|---|", ...rows].join("\n"));
  return parts.join("\n\n");
}

function row(form: string, { required, fallback, summary }: Parameter<unknown>): string {
  const needed = required ? "yes" : fallback === undefined ? "no" : `no: \`${fallback}\``;
  return `| \`${form.replaceAll("|", "\\|")}\` | ${needed} | ${summary} |`;
}
