// The generated modules of the Python client in clients/python: the types of requests and replies, the error codes, and
// the collections of the synchronous and the asynchronous client.

import type { RecordType } from "../../../src/domain/record-type.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { allErrors } from "../../../src/process/tables.ts";
import { generatedNote, pascalCase, wrap } from "../../../client/generate/code-text.ts";
import type { Shape } from "../../../client/generate/schema-types.ts";
import {
  alternativesOf,
  type NamedShape,
  namedShapes,
  pluralOf,
  refName,
  replyNames,
  typeName,
  valuesOf,
} from "./shapes.ts";

const columnsMax = 100;

function module(what: string, ...parts: readonly string[]): string {
  return `${[`"""${what}"""\n\n# ${generatedNote}`, ...parts].join("\n\n")}\n`;
}

/** A docstring on as many lines as the text has, each wrapped. */
function docstring(text: string, indent: string): string {
  if (text === "") return "";
  const single = `${indent}"""${text}"""\n`;
  if (!text.includes("\n") && single.length <= columnsMax + 1) return single;
  const lines = text.split("\n").flatMap((line) => wrap(line, columnsMax - indent.length));
  const body = lines.map((line) => `${indent}${line}`.trimEnd()).join("\n");
  return `${indent}"""\n${body}\n${indent}"""\n`;
}

/** Types of nested objects come before the types that name them, because aliases are evaluated. */
type Declarations = Map<string, string>;

interface Place {
  readonly declarations: Declarations;
  readonly isReply: boolean;
  /** The name for an object at this place. */
  readonly name: string;
  readonly innerPrefix: string;
}

export function renderPythonTypes(): string {
  const declarations: Declarations = new Map();
  for (const { name, use, shape, innerPrefix } of namedShapes()) {
    const isReply = use === "reply";
    declare(shape, { declarations, isReply, name, innerPrefix }, use);
    // It is also a parameter, whose annotation can't refer to a field.
    const { basis } = name === "DeletionStatus" ? (shape.properties ?? {}) : {};
    if (basis !== undefined)
      declare(basis, { declarations, isReply, name: "DeletionBasis", innerPrefix }, "inner");
  }
  const names = [...declarations.keys()].sort().map((name) => `    "${name}",\n`);
  return module(
    "What is sent and what is answered: plain dictionaries, with types for checkers and editors.",
    "from __future__ import annotations",
    "from datetime import date, datetime\nfrom decimal import Decimal\nfrom typing import Any, Dict, List, Literal, Mapping, Sequence, TypedDict, Union",
    `__all__ = [\n${names.join("")}]`,
    `\n${[...declarations.values()].join("\n\n").trimEnd()}`,
  );
}

function declare(shape: Shape, place: Place, use: NamedShape["use"] | "inner"): void {
  const { declarations, name } = place;
  if (declarations.has(name)) return;
  if (shape.properties === undefined) {
    const alias = laidOut(`${name} = `, typeOf(shape, place), "");
    declarations.set(name, alias + docstring(shape.description ?? "", ""));
    return;
  }
  // Reserves its place before the objects inside.
  declarations.set(name, "");
  const fields = Object.entries(shape.properties).map(([field, property]) => {
    const inner = { ...place, name: `${place.innerPrefix}${pascalCase(field)}` };
    const doc = use === "update" ? "" : docstring(property.description ?? "", "    ");
    const isRequired = shape.required?.includes(field) === true;
    return { text: `${annotated(field, typeOf(property, inner))}${doc}`, isRequired };
  });
  const doc = docstring(shape.description ?? "", "    ");
  const required = fields.filter(({ isRequired }) => isRequired).map(({ text }) => text);
  const optional = fields.filter(({ isRequired }) => !isRequired).map(({ text }) => text);
  declarations.set(name, classes(name, { doc, required, optional }));
}

function annotated(field: string, type: string): string {
  return laidOut(`    ${field}: `, type, "    ");
}

/** A type with its arguments, one per line if one line is too short. */
function laidOut(head: string, type: string, indent: string): string {
  const single = `${head}${type}\n`;
  if (single.length <= columnsMax + 1 || !type.endsWith("]")) return single;
  const open = type.indexOf("[") + 1;
  const inner = `${indent}    `;
  const lines = partsOf(type.slice(open, -1)).map((part) =>
    laidOut(inner, part, inner).replace(/\n$/, ",\n"),
  );
  return `${head}${type.slice(0, open)}\n${lines.join("")}${indent}]\n`;
}

/** Splits at commas outside of further brackets. */
function partsOf(text: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === "[") depth += 1;
    if (letter === "]") depth -= 1;
    if (letter !== "," || depth > 0) continue;
    found.push(text.slice(start, at).trim());
    start = at + 1;
  }
  return [...found, text.slice(start).trim()];
}

interface Fields {
  readonly doc: string;
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** Uses two classes if some fields are required, because Python 3.10 has no other way to express this. */
function classes(name: string, { doc, required, optional }: Fields): string {
  const described = doc === "" ? "" : `${doc}\n`;
  if (optional.length === 0) return `class ${name}(TypedDict):\n${described}${required.join("")}`;
  const fields = `${described}${optional.join("")}`;
  if (required.length === 0) return `class ${name}(TypedDict, total=False):\n${fields}`;
  const base = `_${name}Required`;
  return `class ${base}(TypedDict):\n${required.join("")}\n\nclass ${name}(${base}, total=False):\n${fields}`;
}

function typeOf(shape: Shape, place: Place): string {
  const { types, isNullable } = alternativesOf(shape);
  const all = types.flatMap((type) => [oneType(type, place), ...senderTypes(type, place)]);
  if (isNullable) all.push("None");
  const [only = "Any"] = all;
  return all.length < 2 ? only : `Union[${all.join(", ")}]`;
}

/** Parameters accept the type that Python has for the value. */
function senderTypes({ type, format }: Shape, { isReply }: Place): readonly string[] {
  if (isReply) return [];
  if (type === "number") return ["Decimal"];
  if (type !== "string") return [];
  if (format === "date-time") return ["datetime"];
  return format === "date" ? ["date"] : [];
}

const plain: Readonly<Record<string, string>> = {
  string: "str",
  number: "float",
  integer: "int",
  boolean: "bool",
};

function oneType(shape: Shape, place: Place): string {
  const { $ref, type = "", items, properties, additionalProperties } = shape;
  if ($ref !== undefined) return refName($ref);
  const values = valuesOf(shape);
  if (values.length > 0)
    return `Literal[${values.map((value) => JSON.stringify(value)).join(", ")}]`;
  const known = plain[String(type)];
  if (known !== undefined) return known;
  if (type === "array" && items !== undefined) {
    const item = typeOf(items, { ...place, name: `${place.name}Item` });
    return `${place.isReply ? "List" : "Sequence"}[${item}]`;
  }
  if (type === "object" && properties !== undefined) {
    declare(shape, { ...place, innerPrefix: place.name }, "inner");
    return place.name;
  }
  if (type === "object" && typeof additionalProperties === "object") {
    const value = typeOf(additionalProperties, { ...place, name: `${place.name}Value` });
    return `${place.isReply ? "Dict" : "Mapping"}[str, ${value}]`;
  }
  // A schema without keywords accepts every JSON value.
  if (type === "" && Object.keys(shape).length === 0) return "Any";
  throw new Error(`there is no Python yet for the schema ${JSON.stringify(shape)}`);
}

export function renderPythonCodes(): string {
  const entries = Object.entries(allErrors).map(
    ([name, { code, message }]) =>
      `    ${name.toUpperCase()} = ${code}\n${docstring(message, "    ")}`,
  );
  return module(
    "The codes of errors. They are stable, and new ones may come.",
    "from enum import IntEnum",
    '__all__ = ["ErrorCode"]',
    `\nclass ErrorCode(IntEnum):\n    """What a refusal says in \`code\`."""\n\n${entries.join("")}`.trimEnd(),
  );
}

export function renderPythonCollections(): string {
  const names = recordTypes.flatMap(typeNames).sort();
  return module(
    "Where the records of each type are reached, in both clients.",
    "from __future__ import annotations",
    [
      "from typing import TYPE_CHECKING",
      "",
      "from ._async_collection import AsyncCollection, AsyncDeletableCollection",
      "from ._collection import Collection, DeletableCollection, RecordPaths",
      "",
      "if TYPE_CHECKING:",
      "    from ._async_collection import AsyncSession",
      "    from ._session import Session",
      `    from .types import (\n${names.map((name) => `        ${name},\n`).join("")}    )`,
    ].join("\n"),
    `PATHS = {\n${recordTypes.map(pathsLine).join("")}}`,
    `\n${collectionsClass("Collections", "")}\n\n${collectionsClass("AsyncCollections", "Async")}`.trimEnd(),
  );
}

function typeNames(type: RecordType): readonly string[] {
  const name = typeName(type);
  return [name, `${name}Update`, ...replyNames(type)];
}

function pathsLine(type: RecordType): string {
  const { resourceType, idField, batchPath = resourceType } = type;
  const args = [`type="${resourceType}"`, `id_field="${idField}"`, `list_path="${batchPath}"`];
  const lines = args.map((arg) => `        ${arg},\n`).join("");
  return `    "${pluralOf(type)}": RecordPaths(\n${lines}    ),\n`;
}

function collectionsClass(name: string, prefix: string): string {
  const fields = recordTypes.map((type) => {
    const kind = `${prefix}${type.deletable === true ? "Deletable" : ""}Collection`;
    const args = typeNames(type).map((each) => `            ${each},\n`);
    return (
      `        self.${pluralOf(type)}: ${kind}[\n${args.join("")}        ] = ${kind}(session, PATHS["${pluralOf(type)}"])\n` +
      docstring(type.summary, "        ")
    );
  });
  return `class ${name}:\n    def __init__(self, session: ${prefix}Session) -> None:\n${fields.join("")}`;
}
