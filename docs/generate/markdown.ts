// Markdown for the generated pages. Knows nothing about their content.

/** Below the title of every generated page. */
export const generatedNote =
  "Generated from the code by `npm run docs`; a test fails if it is out of date.";

export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, titles.map(() => "---"), ...rows.map((row) => row.map(escapeCell))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** Paragraphs, tables and blocks, apart by a blank line. */
export function page(...parts: readonly string[]): string {
  return `${parts.join("\n\n")}\n`;
}
