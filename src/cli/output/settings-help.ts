// The settings and exit codes as the help shows them, from the tables that define them.

import { Help } from "commander";
import { settings } from "../../config.ts";
import { exitCodes } from "../exit-code.ts";

const width = 100;

export function describeSettings(): string {
  const rows = Object.values(settings).map(({ name, fallback, summary }) => {
    const otherwise = fallback === "" ? "" : ` (default: ${fallback})`;
    return [name, `${summary.replaceAll("`", "")}${otherwise}`] as const;
  });
  return `Settings, read from the environment only:\n${renderRows(rows)}`;
}

export function describeExitCodes(): string {
  return `Exit codes:\n${renderRows(Object.entries(exitCodes))}`;
}

function renderRows(rows: readonly (readonly [term: string, text: string])[]): string {
  const help = new Help();
  help.prepareContext({ helpWidth: width });
  const termWidth = Math.max(...rows.map(([term]) => term.length));
  return rows.map(([term, text]) => help.formatItem(term, termWidth, text, help)).join("\n");
}
