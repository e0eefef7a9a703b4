// Makes control characters visible in texts for a terminal, so that text from outside can't move the cursor or forge a
// line.

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f]/g;

export function replaceControls(text: string): string {
  return text.replace(controls, "\uFFFD");
}

/**
 * Escapes control characters in a message of several lines. Its own line breaks stay; those in arguments of the command
 * line are escaped.
 */
export function escapeControls(message: string, words: readonly string[]): string {
  const values = words.flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]);
  const escaped = values
    .filter((value) => value.includes("\n"))
    .reduce((text, value) => text.replaceAll(value, escapeAll(value)), message);
  return escaped.split("\n").map(escapeAll).join("\n");
}

function escapeAll(text: string): string {
  return text.replace(controls, (found) => JSON.stringify(found).slice(1, -1));
}
