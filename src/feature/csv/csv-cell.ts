// Converts the value of a field to a cell of CSV and back, without loss. Text is written unchanged; numbers, true and
// false as in JSON; lists and objects as JSON. An empty cell means no value, \N null, and \E empty text.

import {
  findInexactNumbers,
  inexactMessage,
  isExactNumber,
  parseExactJson,
} from "../../domain/json/exact-number.ts";
import { isNestedDeeper } from "../../domain/json/json-value.ts";
import { levelsMax } from "./record-characters.ts";
import { alternativesOf, type SchemaShape } from "../../domain/schema/schema-shape.ts";

/** mixed: the field accepts text and other values. */
export type CellKind = "text" | "number" | "boolean" | "json" | "mixed";

export function cellKindOf(schema: SchemaShape): CellKind {
  const kinds = new Set(alternativesOf(schema).map(({ type = "string" }) => type));
  kinds.delete("null");
  if (kinds.has("string")) return kinds.size === 1 ? "text" : "mixed";
  if (kinds.size > 1 || kinds.has("object") || kinds.has("array")) return "json";
  return kinds.has("boolean") ? "boolean" : "number";
}

export const nullMark = "\\N";
const emptyMark = "\\E";
/** Text that looks like a mark, escaped or not, gets one more backslash in its cell. */
const markLike = /^\\+[NE]$/;
/** Text of a mixed field that begins like this would be parsed as JSON. */
const jsonLike = /^["[{]/;

export function writeCell(kind: CellKind, value: unknown): string {
  if (value === undefined) return "";
  if (value === null) return nullMark;
  if (typeof value !== "string") return JSON.stringify(value);
  if (value === "") return emptyMark;
  if (kind === "json" || (kind === "mixed" && jsonLike.test(value))) return JSON.stringify(value);
  return markLike.test(value) ? `\\${value}` : value;
}

/** Why a cell is not valid; completes a sentence that begins with the name of the field. */
export class CellError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export function readCell(kind: CellKind, cell: string): unknown {
  if (cell === "") return undefined;
  if (cell === nullMark) return null;
  if (cell === emptyMark) return "";
  if (kind === "text") return markLike.test(cell) ? cell.slice(1) : cell;
  if (kind === "number") return readNumber(cell.trim());
  if (kind === "boolean") return readBoolean(cell.trim());
  if (kind === "json") return readJson(cell);
  return jsonLike.test(cell) ? readJson(cell) : readCell("text", cell);
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

function readNumber(text: string): unknown {
  if (!decimal.test(text))
    return new CellError(`must be a number, such as 1250.5, not ${shown(text)}`);
  const value = Number(text);
  return isExactNumber(text.replace("+", ""), value) ? value : new CellError(inexactMessage);
}

function readBoolean(text: string): unknown {
  if (/^(?:true|1)$/i.test(text)) return true;
  if (/^(?:false|0)$/i.test(text)) return false;
  return new CellError(`must be true or false (or 1 or 0), not ${shown(text)}`);
}

function readJson(text: string): unknown {
  try {
    const value = parseExactJson(text);
    if (isNestedDeeper(value, levelsMax)) {
      return new CellError(`is nested deeper than ${levelsMax} levels`);
    }
    return findInexactNumbers(value).length > 0 ? new CellError(inexactMessage) : value;
  } catch {
    return new CellError(`must be JSON, and ${shown(text)} is not`);
  }
}

export function shown(text: string): string {
  return JSON.stringify(shorten(text));
}

/** The text, or its beginning if it is too long for a message. */
export function shorten(text: string): string {
  const charactersMax = 40;
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}

const protectedFormula = /^'+[=+\-@\t\r]/;

export function restoreFormula(cell: string): string {
  return protectedFormula.test(cell) ? cell.slice(1) : cell;
}
