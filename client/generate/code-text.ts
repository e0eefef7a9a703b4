// Builds the TypeScript of the generated files, formatted nearly as oxfmt does.

const columnsMax = 100;

/** Follows the first line of every generated file. */
export const generatedNote =
  "Generated from the service's schemas by `npm run docs`; a test fails if it is out of date.";

/** Joins the parts of a file with blank lines. */
export function file(what: string, ...parts: readonly string[]): string {
  return `${[`// ${what}\n// ${generatedNote}`, ...parts].join("\n\n")}\n`;
}

/** A docstring, on one line if it fits. Empty for no text. */
export function docstring(text: string, indent = ""): string {
  if (text === "") return "";
  const single = `${indent}/** ${text} */\n`;
  if (!text.includes("\n") && single.length <= columnsMax + 1) return single;
  const lines = text.split("\n").flatMap((line) => wrap(line, columnsMax - indent.length - 3));
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** Text in lines of at most this many columns. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** `head` and a union, on as many lines as needed. `head` ends before the colon or equals sign. */
export function withUnion(
  head: string,
  sign: ":" | " =",
  { alternatives, indent }: { alternatives: readonly string[]; indent: string },
): string {
  const single = `${indent}${head}${sign} ${alternatives.join(" | ")};`;
  if (single.length <= columnsMax || alternatives.length === 1) return `${single}\n`;
  const second = `${indent}  ${alternatives.join(" | ")};`;
  if (second.length <= columnsMax) return `${indent}${head}${sign}\n${second}\n`;
  const lines = alternatives.map((alternative) => `${indent}  | ${alternative}`);
  return `${indent}${head}${sign}\n${lines.join("\n")};\n`;
}

/** A type with type arguments, one argument per line if one line is too short. */
export function withArguments(head: string, args: readonly string[], indent: string): string {
  const single = `${indent}${head}<${args.join(", ")}>;`;
  if (single.length <= columnsMax) return `${single}\n`;
  const lines = args.map((arg, index) => `${indent}  ${arg}${index < args.length - 1 ? "," : ""}`);
  return `${indent}${head}<\n${lines.join("\n")}\n${indent}>;\n`;
}

/** `import type { … } from "…";`, one name per line if one line is too short. */
export function importTypes(names: readonly string[], from: string): string {
  const single = `import type { ${names.join(", ")} } from "${from}";`;
  if (single.length <= columnsMax) return single;
  return `import type {\n${names.map((name) => `  ${name},\n`).join("")}} from "${from}";`;
}

export function pascalCase(snake: string): string {
  return snake.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
