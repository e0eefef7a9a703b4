// Streams the rows of NDJSON or of a JSON list: extracts the text of each item, then parses it. Never rounds a number:
// a row with a number of too many digits is refused.

import { manifestLineStart } from "../../domain/export-manifest.ts";
import { findInexactNumbers, parseExactJson } from "../../domain/json/exact-number.ts";
import { isJsonObject, type JsonObject } from "../../domain/schema/schema-shape.ts";
import { bulkKeys } from "./bulk-keys.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { ListSplitter } from "./list-splitter.ts";
import { recordCharactersMax } from "./record-characters.ts";
import type { Row, RowInput, TextRow } from "./row.ts";
import type { TextInput } from "./text-input.ts";

export function openNdjson(input: TextInput): RowInput {
  return { format: "ndjson", columns: undefined, batches: () => readRows(splitLines(input)) };
}

export function openJson(input: TextInput): RowInput {
  return { format: "json", columns: undefined, batches: () => readRows(splitList(input)) };
}

async function* readRows(batches: AsyncIterable<readonly string[]>): AsyncGenerator<TextRow[]> {
  let count = 0;
  for await (const texts of batches) {
    const rows = texts.filter((text) => !text.startsWith(manifestLineStart));
    yield rows.map((text) => ({ number: (count += 1), text, parse: readRow }));
  }
}

/** The row of a file of refused rows has its number in the first input. */
function readRow({ number, text }: Pick<TextRow, "number" | "text">): Row {
  const fields = readObject(text);
  if (typeof fields === "string") return { number, text, reason: fields };
  const given = fields[bulkKeys.row];
  const known = typeof given === "number" && Number.isSafeInteger(given) ? given : number;
  const refused = fields[bulkKeys.text];
  if (typeof refused === "string") return readRow({ number: known, text: refused });
  return { number: known, fields };
}

/** The object, or the reason why the text is not one. */
function readObject(text: string): JsonObject | string {
  try {
    const value = parseExactJson(text);
    if (!isJsonObject(value)) return "is not an object";
    const inexact = findInexactNumbers(value);
    if (inexact.length === 0) return value;
    return inexact.map(({ field, message }) => `${field ?? ""} ${message ?? ""}`).join("; ");
  } catch {
    return "is not JSON";
  }
}

async function* splitLines(input: TextInput): AsyncGenerator<readonly string[]> {
  let rest = "";
  for await (const text of input.read()) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield lines.filter((line) => line.trim() !== "");
    if (rest.length > recordCharactersMax) throw tooLong(input, "line");
  }
  if (rest.trim() !== "") yield [rest];
}

async function* splitList(input: TextInput): AsyncGenerator<readonly string[]> {
  const splitter = new ListSplitter();
  for await (const text of input.read()) {
    yield splitter.push(text);
    if (splitter.state === "broken") throw notAList(input);
    if (splitter.heldCharacters > recordCharactersMax) throw tooLong(input, "item");
  }
  if (splitter.state !== "ended") throw notAList(input);
}

function notAList({ path }: TextInput): OperatorError {
  return new OperatorError(
    "input",
    `${path} is not a JSON list such as [{…}, {…}], or is truncated.`,
  );
}

function tooLong({ path }: TextInput, what: string): OperatorError {
  return new OperatorError(
    "input",
    `${path} has a ${what} of more than ${recordCharactersMax} characters; check that the file has the format that its name says.`,
  );
}
