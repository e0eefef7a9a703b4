// The settings and exit codes as the help shows them, from the tables that define them.

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
  const rows = Object.entries(exitCodes).map(([code, meaning]) => [code, meaning] as const);
  return `Exit codes:\n${renderRows(rows)}`;
}

function renderRows(rows: readonly (readonly [term: string, text: string])[]): string {
  const termWidth = Math.max(...rows.map(([term]) => term.length));
  const indent = " ".repeat(termWidth + 4);
  return rows
    .map(([term, text]) => {
      const lines = wrap(text, width - indent.length);
      return `  ${term.padEnd(termWidth)}  ${lines.join(`\n${indent}`)}`;
    })
    .join("\n");
}

/** A word longer than a line gets a line of its own. */
function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
