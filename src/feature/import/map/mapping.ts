// A mapping: where each field of a record comes from, from `--map` or from a file. Checks neither the fields of the
// record type nor the columns of the input.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isJsonObject, type JsonObject } from "../../../domain/schema/schema-shape.ts";
import { closestName } from "../../../domain/validation/suggest.ts";
import { type Layout, readLayout } from "../../csv/layout.ts";
import {
  fileReasonOf,
  OperatorError,
  UsageError,
} from "../../../actions/operator/operator-error.ts";
import { mappingError } from "../rows.ts";

export interface Formatted {
  /** The format of a time, a number or a code (cell-reader.ts). A mapping file names which one it is. */
  readonly format?: string | undefined;
}

export type Origin =
  | { readonly value: unknown }
  /** The value of the first of these columns that has one in the row, other than zero. */
  | { readonly filled: JsonObject }
  | (Formatted & { readonly template: string; readonly type?: string | undefined })
  | (Formatted & {
      /** The first of several that has a value in the row counts. */
      readonly column: string | readonly string[];
      /** Translates values, or the sign of a number; any other is refused, unless `otherwise` is given. */
      readonly values?: JsonObject | undefined;
      readonly otherwise?: unknown;
      /** The value for an empty cell. */
      readonly default?: unknown;
      readonly split?: string | undefined;
      readonly type?: string | undefined;
    });

export interface MappingFile {
  readonly description?: string;
  readonly mapping: Mapping;
  readonly layout: Layout;
}

/** The key is the path in the record, such as `amount` or `addresses[0].address.city`. */
export type Mapping = ReadonlyMap<string, Origin>;

/** `field=COLUMN[@FORMAT]`, `field==TEXT` or `field=~TEMPLATE`, separated by commas. Throws UsageError. */
export function readMapItems(text: string): readonly (readonly [path: string, origin: Origin])[] {
  const items = text.split(/(?<!\\),/).map((item) => item.replaceAll("\\,", ","));
  return items.filter((item) => item.trim() !== "").map(readMapItem);
}

function readMapItem(item: string): readonly [string, Origin] {
  const [, path = "", sign = "", rest = ""] = /^([^=]+)=([=~]?)(.*)$/s.exec(item) ?? [];
  if (path.trim() === "" || (rest === "" && sign !== "=")) {
    throw new UsageError(
      `"${item}" is not a mapping. It is field=COLUMN, field=COLUMN@FORMAT, field==TEXT or field=~TEMPLATE.`,
    );
  }
  return [path.trim(), originOf(sign, rest)];
}

function originOf(sign: string, rest: string): Origin {
  if (sign === "=") return { value: rest };
  if (sign === "~") return { template: rest };
  const at = rest.lastIndexOf("@");
  return at > 0 ? { column: rest.slice(0, at), format: rest.slice(at + 1) } : { column: rest };
}

/** The mappings of known exports, each a mapping file in the folder `preset`. */
export const presetNames = [
  "adyen",
  "amlsim",
  "ibm-aml",
  "paypal",
  "paysim",
  "revolut",
  "stripe",
] as const;

export function readPreset(name: string): MappingFile {
  return readMappingFile(fileURLToPath(new URL(`preset/${name}.json`, import.meta.url)));
}

/** `{"layout": {"skip": 3}, "fields": {"tx_id": "COLUMN", "status": {"value": "DONE"}, …}}`. Throws OperatorError. */
export function readMappingFile(path: string): MappingFile {
  const fail = (why: string) => mappingError(`The mapping ${path} ${why}.`);
  return readContent(readText(path, fail), fail);
}

/** Items as in `--map`, or the text of a mapping file. Throws OperatorError, or UsageError for an item. */
export function readItemsOrFile(text: string): MappingFile {
  if (!text.trimStart().startsWith("{"))
    return { mapping: new Map(readMapItems(text)), layout: {} };
  return readContent(text, (why) => mappingError(`The mapping file ${why}.`));
}

function readContent(text: string, fail: Fail): MappingFile {
  const content = parseJson(text, fail);
  if (!isJsonObject(content)) throw fail("must be a JSON object");
  const { fields, layout = {}, description = "", ...others } = content;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw fail(`has "${unknown}", and may have only "fields", "layout" and "description"`);
  if (typeof description !== "string") throw fail('must have text as "description"');
  if (!isJsonObject(fields)) throw fail('must have "fields", an object');
  if (!isJsonObject(layout)) throw fail('must have an object as "layout"');
  const mapping = new Map(
    Object.entries(fields).map(([field, origin]) => [
      field,
      readOrigin(origin, (why) => fail(`has an invalid origin for "${field}": ${why}`)),
    ]),
  );
  const read = readLayout(layout, (why) => fail(`has an invalid layout: ${why}`));
  return { description, mapping, layout: read };
}

type Fail = (why: string) => OperatorError;

export function readText(path: string, fail: Fail): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw fail(`can't be read: ${fileReasonOf(cause)}`);
  }
}

function parseJson(text: string, fail: Fail): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail("is not JSON");
  }
}

const partsOf: Readonly<Record<string, readonly string[]>> = {
  value: ["value"],
  filled: ["filled"],
  template: ["template", "time", "number", "code", "type"],
  column: ["column", "time", "number", "code", "values", "otherwise", "default", "split", "type"],
};

function readOrigin(given: unknown, fail: Fail): Origin {
  if (typeof given === "string") return { column: given };
  if (!isJsonObject(given)) throw fail("it is neither the name of a column nor an object");
  const kind = Object.keys(partsOf).find((name) => Object.hasOwn(given, name));
  if (kind === undefined) throw fail('it has none of "column", "value", "filled" and "template"');
  const parts = partsOf[kind] ?? [];
  for (const [name, part] of Object.entries(given)) {
    if (!parts.includes(name)) {
      const meant = closestName(name, parts);
      throw fail(
        `"${name}" is unknown beside "${kind}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`,
      );
    }
    if (textParts.has(name) && !isText(part) && !(name === "column" && isTexts(part))) {
      throw fail(`"${name}" must be text`);
    }
    const isObjectPart = name === "values" || name === "filled";
    if (isObjectPart && !isJsonObject(part)) throw fail(`"${name}" must be an object`);
  }
  const { time, number, code, ...rest } = given;
  const formats = [time, number, code].filter((format) => format !== undefined);
  if (formats.length > 1) throw fail('it has more than one of "time", "number" and "code"');
  if (given["values"] !== undefined && formats[0] !== number)
    throw fail('"values" can have only "number" beside it, to translate the sign');
  return { ...rest, format: time ?? number ?? code } as unknown as Origin;
}

const textParts: ReadonlySet<string> = new Set(
  "template column time number code split type".split(" "),
);

function isText(part: unknown): boolean {
  return typeof part === "string" && part !== "";
}

function isTexts(part: unknown): boolean {
  return Array.isArray(part) && part.length > 0 && part.every(isText);
}
