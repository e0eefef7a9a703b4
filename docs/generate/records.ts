// docs/reference/records.md: every record type and field, from the table of types alone.

import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { alternativesOf, type SchemaShape } from "../../src/domain/schema/schema-shape.ts";
import { block, code, generatedNote, page, table } from "./markdown.ts";

const opening = `A record belongs to one organization, and its id is unique there for its type. To add one (POST), every
field marked *yes* is required; to update one (PUT), only the id and the \`timestamp\` are, and null clears an optional field.
Unknown fields are refused. Text is stored exactly as it was sent.`;

export function renderRecords(): string {
  return page("# Records", generatedNote, opening, ...recordTypes.flatMap(renderType));
}

function renderType(type: RecordType): readonly string[] {
  const path = type.batchPath === undefined ? "" : `, lists at ${code(`/v2/${type.batchPath}`)}`;
  const deletable =
    type.deletable === true
      ? "deleted by request"
      : "erased only with the records that it belongs to";
  return [
    `## ${type.title}`,
    type.summary,
    `${code(`/v2/${type.resourceType}`)}${path}. Id ${code(type.idField)}. Scopes ${code(`${type.family}:…`)}. ` +
      `It is ${deletable}.`,
    table(["field", "required", "value", "meaning"], fieldRows(type)),
    ...list(type.rules.map((rule) => rule.summary)),
    ...list(type.relations.map(describeRelation)),
    ...list(type.partyFields.map(describeParty)),
    block("json", JSON.stringify(type.example, null, 2)),
  ];
}

function describeRelation({ field, to, kind }: RecordType["relations"][number]): string {
  return `It ${kind === "belongs" ? "belongs to" : "mentions"} the ${code(to)} in ${code(field)}.`;
}

function describeParty(field: string): string {
  const parties = recordTypes.filter(({ party }) => party === true);
  const names = parties.map(({ resourceType }) => code(resourceType)).join(" or ");
  return `It names a ${names} in ${code(field)}; when that is erased, a pseudonym replaces its id, also if a record of the other type has the same id.`;
}

function list(sentences: readonly string[]): readonly string[] {
  return sentences.length === 0 ? [] : [sentences.map((sentence) => `- ${sentence}`).join("\n")];
}

function fieldRows({ addSchema }: RecordType): readonly (readonly string[])[] {
  return rowsOf(addSchema, "");
}

function rowsOf(schema: SchemaShape, prefix: string): readonly (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix + name;
    const required = schema.required?.includes(name) === true ? "yes" : "no";
    const row = [code(path), required, expectedOf(property), meaningOf(property)];
    return [row, ...insideRows(property, path)];
  });
}

/** The fields of an object, or of the objects in a list. */
function insideRows(schema: SchemaShape, path: string): readonly (readonly string[])[] {
  return alternativesOf(schema).flatMap((alternative) => {
    if (alternative.items !== undefined) return insideRows(alternative.items, `${path}[]`);
    return alternative.properties === undefined ? [] : rowsOf(alternative, `${path}.`);
  });
}

function expectedOf(schema: SchemaShape): string {
  const items = alternativesOf(schema).flatMap(({ items: each }) => each?.expected ?? []);
  const each = items.length === 0 ? "" : `, each ${items[0]}`;
  return `${schema.expected ?? "any value"}${each}`;
}

function meaningOf(schema: SchemaShape): string {
  const { description = "" } = schema as { description?: string };
  return schema.default === undefined
    ? description
    : `${description} Default: ${JSON.stringify(schema.default)}.`;
}
