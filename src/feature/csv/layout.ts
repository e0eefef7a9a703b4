// How the text of a file is laid out. Each part has one name and one reading, on the command line, in a mapping file
// and in the console. What can be told with certainty is detected where nothing is given; nothing else is guessed.

export interface Layout {
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly quote?: string | undefined;
  readonly skip?: number | string | undefined;
  readonly header?: "yes" | "no" | undefined;
  readonly comment?: string | undefined;
  readonly footer?: number | string | undefined;
  readonly trim?: "yes" | "no" | undefined;
  readonly list?: string | undefined;
}

export interface LayoutPart<Value> {
  readonly placeholder: string;
  /** Completes "It must be …". */
  readonly expected: string;
  readonly meaning: string;
  /** Undefined for text that is not such a value. */
  readonly read: (text: string) => Value | undefined;
}

export type LayoutParts = {
  readonly [Name in keyof Layout]-?: LayoutPart<NonNullable<Layout[Name]>>;
};

export const linesMax = 10_000;
const lines = `a number of lines from 0 to ${linesMax.toLocaleString("en")}`;
const charactersMax = 200;

function readText(text: string): string | undefined {
  return text.length <= charactersMax ? text : undefined;
}

function readLines(text: string): number | string | undefined {
  if (!/^[-+.]?\d+$/.test(text)) return readText(text);
  return /^\d{1,5}$/.test(text) && Number(text) <= linesMax ? Number(text) : undefined;
}

function readYesNo(text: string): "yes" | "no" | undefined {
  return text === "yes" || text === "no" ? text : undefined;
}

export const layoutParts: LayoutParts = {
  encoding: {
    placeholder: "NAME",
    expected: "an encoding, such as windows-1252, iso-8859-15 or utf-16le",
    meaning: "Encoding of the text. Default: UTF-8, or UTF-16 where the file shows it.",
    read: (text) => (isEncoding(text) ? text.toLowerCase() : undefined),
  },
  delimiter: {
    placeholder: "CHAR",
    expected: "one character, such as ; or |, or the word tab",
    meaning:
      "Character between CSV cells, such as ; or tab. Default: a comma, or the one that the first line has instead.",
    read: (text) => {
      const sign = text === "tab" || text === String.raw`\t` ? "\t" : text;
      return sign.length === 1 && !/["\r\n\w]/.test(sign) ? sign : undefined;
    },
  },
  quote: {
    placeholder: "QUOTE",
    expected: `" or ', none or backslash`,
    meaning:
      'What is around CSV cells that contain delimiters: " or \', or none. With backslash, there is none, and \\t and \\n stand for tabs and line ends, as in COPY of PostgreSQL. Default: ".',
    read: (text) => (/^(?:["']|none|backslash)$/.test(text) ? text : undefined),
  },
  skip: {
    placeholder: "N",
    expected: `${lines}, or names of columns, such as Date,Amount`,
    meaning:
      "Number of lines of CSV before the one that names the columns, or names of columns: then the first line that has all of them.",
    read: readLines,
  },
  header: {
    placeholder: "yes|no",
    expected: "yes or no",
    meaning:
      "Whether a line of CSV names the columns; otherwise their names are 1, 2 and so on. Default: yes.",
    read: readYesNo,
  },
  comment: {
    placeholder: "TEXT",
    expected: "the text with which a comment begins, such as #",
    meaning: "What comments begin with, such as #; these lines of CSV are ignored. Default: none.",
    read: readText,
  },
  footer: {
    placeholder: "N",
    expected: `${lines}, or text with which the first of them begins, such as Total`,
    meaning:
      "Number of lines of CSV after the last row, or text with which the first of them begins, such as Total.",
    read: readLines,
  },
  trim: {
    placeholder: "yes|no",
    expected: "yes or no",
    meaning: "Whether blanks at the beginning and end of each value are left out. Default: no.",
    read: readYesNo,
  },
  list: {
    placeholder: "PATH",
    expected: "the keys that lead to a list, such as data or result.items",
    meaning: "Where the list is in a JSON document, such as data or result.items.",
    read: (text) => (/^[^.]{1,100}(?:\.[^.]{1,100}){0,9}$/.test(text) ? text : undefined),
  },
};

export const layoutNames = Object.keys(layoutParts) as readonly (keyof Layout)[];

/** Values as text, or as JSON has them; empty text stands for none. `fail` makes the error to throw. */
export function readLayout(
  given: Readonly<Record<string, unknown>>,
  fail: (why: string) => Error,
): Layout {
  const layout: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const known = layoutNames.find((one) => one === name);
    if (known === undefined) throw fail(`"${name}" is not one of ${layoutNames.join(", ")}`);
    if (value === "") continue;
    const read = layoutParts[known].read(String(value));
    if (read === undefined) throw fail(`"${name}" must be ${layoutParts[known].expected}`);
    layout[known] = read;
  }
  return layout;
}

/** What the file showed, as the options that would say the same; empty for nothing. */
export function describeDetected(detected: Layout): string {
  const options = layoutNames.flatMap((name) => {
    const value = detected[name] === "\t" ? "tab" : detected[name];
    return value === undefined ? [] : [`--${name} '${value}'`];
  });
  return options.length === 0 ? "" : `is read with ${options.join(" ")}, as its beginning shows.`;
}

function isEncoding(text: string): boolean {
  try {
    return new TextDecoder(text, { fatal: true }).encoding !== "";
  } catch {
    return false;
  }
}
