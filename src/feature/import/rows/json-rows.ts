// Streams the rows of NDJSON or of a JSON list: finds the text of each item by brackets, quotes and commas, then parses
// it. Never rounds a number: a row with a number of too many digits is refused.

import { manifestLineStart } from "../../../domain/export-manifest.ts";
import { findInexactNumbers, parseExactJson } from "../../../domain/json/exact-number.ts";
import { isNestedDeeper } from "../../../domain/json/json-value.ts";
import { isJsonObject, type JsonObject } from "../../../domain/schema/schema-shape.ts";
import { bulkKeys } from "../../../bulk/formats/bulk-keys.ts";
import { OperatorError } from "../../../actions/operator/operator-error.ts";
import { levelsMax, recordCharactersMax } from "../../csv/record-characters.ts";
import type { Row, RowInput, TextRow } from "../../csv/row.ts";
import type { TextInput } from "../../csv/text-input.ts";
import { inputError } from "../../csv/input-error.ts";

export function openNdjson(input: TextInput): RowInput {
  return { format: "ndjson", columns: undefined, batches: () => readRows(splitLines(input)) };
}

export function openJson(input: TextInput, list?: string): RowInput {
  return { format: "json", columns: undefined, batches: () => readRows(splitList(input, list)) };
}

type Item = Pick<TextRow, "text" | "line">;

async function* readRows(batches: AsyncIterable<readonly Item[]>): AsyncGenerator<TextRow[]> {
  let count = 0;
  for await (const items of batches) {
    const rows = items.filter(({ text }) => !text.startsWith(manifestLineStart));
    yield rows.map((row) => ({ ...row, number: (count += 1), parse: readRow }));
  }
}

/** The row of a file of refused rows has its number in the first input. */
function readRow({ number, text, line }: Omit<TextRow, "parse">): Row {
  const fields = readObject(text);
  if (typeof fields === "string") return { number, text, line, reason: fields };
  const given = fields[bulkKeys.row];
  const known = typeof given === "number" && Number.isSafeInteger(given) ? given : number;
  const refused = fields[bulkKeys.text];
  if (typeof refused === "string") return readRow({ number: known, text: refused, line });
  return { number: known, fields, line };
}

function readObject(text: string): JsonObject | string {
  try {
    const value = parseExactJson(text);
    if (!isJsonObject(value)) return "is not an object";
    if (isNestedDeeper(value, levelsMax)) return `is nested deeper than ${levelsMax} levels`;
    const inexact = findInexactNumbers(value);
    if (inexact.length === 0) return value;
    return inexact.map(({ field, message }) => `${field ?? ""} ${message ?? ""}`).join("; ");
  } catch {
    return "is not JSON";
  }
}

async function* splitLines(input: TextInput): AsyncGenerator<readonly Item[]> {
  let [rest, line] = ["", 0];
  for await (const text of input.read()) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    const items = lines.map((one) => ({ text: one, line: (line += 1) }));
    yield items.filter((item) => item.text.trim() !== "");
    if (rest.length > recordCharactersMax) throw tooLong(input, "a line");
  }
  if (rest.trim() !== "") yield [{ text: rest, line: line + 1 }];
}

async function* splitList(
  input: TextInput,
  list: string | undefined,
): AsyncGenerator<readonly Item[]> {
  const splitter = new ListSplitter(list?.split("."));
  for await (const piece of input.read()) {
    yield splitter.push(piece).map((text) => ({ text }));
    if (splitter.state === "broken") throw notAList(input);
    if (splitter.held.length > recordCharactersMax) throw tooLong(input, "an item");
  }
  if (splitter.state === "before" && list !== undefined) {
    throw inputError(`${input.path} has no list ${list}.`, { context: { option: "--list" } });
  }
  if (splitter.state !== "ended") throw notAList(input);
}

function notAList({ path }: TextInput): OperatorError {
  return inputError(
    `${path} is not a JSON list such as [{…}, {…}], or is truncated. If the list is in an object, say where.`,
    { context: { option: "--list" } },
  );
}

function tooLong({ path }: TextInput, what: string): OperatorError {
  return inputError(
    `${path} has ${what} of more than ${recordCharactersMax} characters; check that the file has the format that its name says.`,
  );
}

const keyCharactersMax = 1_000;

/**
 * Finds a list in the text of a JSON document, which arrives in pieces, and splits it into the texts of its items. If
 * keys lead to it, only brackets and keys are examined of what is before it, and nothing of what is after it.
 */
export class ListSplitter {
  state: "before" | "inside" | "ended" | "broken" = "before";
  /** What is not a complete item yet. */
  held = "";
  /** Escaped, as JSON has them. */
  readonly #path: readonly string[];
  #depth = 0;
  /** How many keys of the path lead to the object in which it is. */
  #matched = 0;
  #isNext = false;
  #key = "";
  #isInString = false;
  #escaped = false;

  constructor(path: readonly string[] = []) {
    this.#path = path.map((key) => JSON.stringify(key).slice(1, -1));
  }

  /** The items that end in this piece. */
  push(text: string): readonly string[] {
    const items: string[] = [];
    let from = 0;
    for (let index = 0; index < text.length && this.state !== "broken"; index += 1) {
      const sign = text.charAt(index);
      if (this.#isInString) this.#passString(sign);
      else if (this.state === "before") {
        this.#passBefore(sign);
        from = index + 1;
      } else if (this.state === "ended") {
        if (this.#path.length > 0) return items;
        if (!isBlank(sign)) this.state = "broken";
      } else if (this.#endsItem(sign)) {
        const item = this.held + text.slice(from, index);
        this.held = "";
        from = index + 1;
        if (item.trim() !== "") items.push(item);
        // Nothing between the brackets means an empty list, but nothing before a comma means a missing item.
        else if (sign === ",") this.state = "broken";
        if (sign !== ",") this.state = sign === "]" ? "ended" : "broken";
      }
    }
    if (this.state === "inside") this.held += text.slice(from);
    return items;
  }

  #passString(sign: string): void {
    if (sign === '"' && !this.#escaped) this.#isInString = false;
    else if (this.state === "before" && this.#key.length < keyCharactersMax) this.#key += sign;
    this.#escaped = sign === "\\" && !this.#escaped;
  }

  #passBefore(sign: string): void {
    if (this.#path.length === 0) {
      if (!isBlank(sign)) this.state = sign === "[" ? "inside" : "broken";
    } else if (sign === '"') {
      this.#isInString = true;
      this.#key = "";
    } else if (sign === ":") {
      const isHere = this.#depth === this.#matched + 1;
      this.#isNext = isHere && this.#key === this.#path[this.#matched];
    } else if (this.#isNext && sign === "[" && this.#matched + 1 === this.#path.length) {
      this.state = "inside";
      this.#depth = 0;
    } else if (sign === "[" || sign === "{") {
      if (this.#isNext && sign === "{") this.#matched += 1;
      this.#isNext = false;
      this.#depth += 1;
    } else if (sign === "]" || sign === "}") {
      this.#depth -= 1;
      this.#matched = Math.min(this.#matched, Math.max(this.#depth - 1, 0));
    } else if (sign === ",") this.#isNext = false;
  }

  /** True for a comma or bracket at the level of the list; keeps count of the brackets inside. */
  #endsItem(sign: string): boolean {
    if (this.#depth === 0 && (sign === "," || sign === "]" || sign === "}")) return true;
    if (sign === '"') this.#isInString = true;
    else if (sign === "[" || sign === "{") this.#depth += 1;
    else if (sign === "]" || sign === "}") this.#depth -= 1;
    return false;
  }
}

function isBlank(sign: string): boolean {
  return sign === " " || sign === "\n" || sign === "\t" || sign === "\r";
}
