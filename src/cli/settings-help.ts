// The settings as the help shows them, from the table that they are read by.

import { settings } from "../config.ts";

export function describeSettings(): string {
  const rows = Object.values(settings);
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(
    ({ name, fallback, summary }) =>
      `  ${name.padEnd(width)}  ${plain(summary)} (default: ${fallback})`,
  );
  return ["Settings, from the environment only:", ...lines].join("\n");
}

function plain(summary: string): string {
  return summary.replaceAll("`", "");
}
