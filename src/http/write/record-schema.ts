// The schemas of a record and of its update as the document shows them, published from those that validate, with
// examples.

import type { Payload, RecordType } from "../../domain/record-type.ts";
import type { Component } from "../openapi/content.ts";
import type { Examples, JsonSchema } from "../openapi/document.ts";
import { describedShape } from "../openapi/publish-schema.ts";
import { componentName } from "../openapi/wording.ts";

export function addedRecord(type: RecordType): Component {
  const { title, summary, addSchema, example } = type;
  return {
    name: componentName(type),
    schema: {
      ...describedShape(summary + ruleList(type, ["add", "always"]), addSchema),
      ...forbidden(type, ["add", "always"]),
      examples: [example],
    },
    examples: { record: { summary: title, value: example } },
  };
}

export function updatedRecord(type: RecordType): Component {
  const description = `Changes to a record that exists. Null clears a field.${ruleList(type, ["always"])}`;
  return {
    name: `${componentName(type)}Update`,
    schema: {
      ...describedShape(description, withoutDefaults(type.updateSchema)),
      ...forbidden(type, ["always"]),
    },
    examples: updateExamples(type),
  };
}

/**
 * Makes examples of updates, in which one required field changes, and one optional field is cleared if the type's
 * example has one.
 */
function updateExamples(type: RecordType): Examples {
  const { idField, fields, example } = type;
  const names = Object.keys(fields);
  const changed = names.findLast((name) => fields[name]?.required === true) ?? idField;
  const change = {
    summary: "Change a field",
    value: pick(example, [idField, changed, "timestamp"]),
  };
  const cleared = names.find(
    (name) => fields[name]?.required === false && example[name] !== undefined,
  );
  if (cleared === undefined) return { change };
  const value = pick({ ...example, [cleared]: null }, [idField, cleared, "timestamp"]);
  return { change, clear: { summary: "Clear a field", value } };
}

function pick(example: Payload, names: readonly string[]): Payload {
  return Object.fromEntries(names.map((name) => [name, example[name]]));
}

/**
 * Returns what the rules across fields forbid, under the one keyword that generators ignore: from conditions and
 * alternatives beside the properties, generators make types that do not compile.
 */
function forbidden({ rules }: RecordType, on: readonly string[]): JsonSchema {
  const schemas = rules.flatMap(({ on: when, summary, forbids }) =>
    forbids === undefined || !on.includes(when) ? [] : [{ description: summary, ...forbids }],
  );
  const [first] = schemas;
  if (first === undefined) return {};
  return { not: schemas.length === 1 ? first : { anyOf: schemas } };
}

function ruleList({ rules }: RecordType, on: readonly string[]): string {
  const summaries = rules
    .filter((rule) => on.includes(rule.on))
    .map(({ summary }) => `\n- ${summary}`);
  return summaries.length === 0 ? "" : `\n\nRules:\n${summaries.join("")}`;
}

/** A field left out of an update stays unchanged, so a client must not fill in a default for it. */
function withoutDefaults(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (typeof value !== "object" || value === null || !("default" in value)) return value;
    const { default: _default, ...rest } = value;
    return rest;
  });
}
