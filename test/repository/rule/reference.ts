// Compares names in the code with names in the documents, both ways. Knows nothing of either; the
// tests read them.

/** The cells of every table on a page, row by row, without code marks; titles are rows too. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^\|[\s|:-]+\|$/.test(line))
    .map((line) =>
      line
        .replace(/^\||\|$/g, "")
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replace(/^`(.*)`$/, "$1")),
    );
}

/** What one has and the other lacks. Entries are compared as they are, such as `PORT = 8080`. */
export function compare(
  page: string,
  inCode: readonly string[],
  inDocs: readonly string[],
): readonly string[] {
  const [code, docs] = [new Set(inCode), new Set(inDocs)];
  return [
    ...[...code].filter((entry) => !docs.has(entry)).map((entry) => `${page}: lacks ${entry}`),
    ...[...docs]
      .filter((entry) => !code.has(entry))
      .map((entry) => `${page}: has ${entry}, which the code has not`),
    ...inDocs
      .filter((entry, index) => inDocs.indexOf(entry) !== index)
      .map((entry) => `${page}: has ${entry} twice`),
  ];
}
