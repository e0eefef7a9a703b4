// What the document says about the operations that write records, and about the records.

import { describeWritten } from "../../actions/intake/validation-errors.ts";
import { errorCatalogue } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { nounOf, type RecordType, type Payload } from "../../domain/record-type.ts";
import type { WriteMode } from "../../domain/record/record-write.ts";
import {
  type Content,
  countSchema,
  type Component,
  encodings,
  jsonRequest,
  objectSchema,
  textSchema,
} from "../openapi/content.ts";
import { type Example, type JsonSchema, schemaRef, type Examples } from "../openapi/document.ts";
import { codeSchema, fieldErrorsSchema } from "../openapi/error-responses.ts";
import { exampleOrganizationId, idExample } from "../openapi/examples.ts";
import { oneOf, componentName } from "../openapi/wording.ts";
import { type Operation, requireType } from "../operation.ts";
import { describedShape } from "../openapi/publish-schema.ts";

export function listDescription({ body }: Operation): string {
  return body === "one" ? "" : aboutLists;
}

const aboutLists =
  " A list is all or nothing: if one item is refused, nothing is written and `errors` names every invalid field, such as " +
  "`[3].timestamp`. With `Prefer: handling=lenient` each item is accepted or refused by itself, and `results` has its " +
  "result. The same applies to a stream (`application/x-ndjson`), which has one record per line and may have any length. With " +
  "`Prefer: handling=lenient, verdicts=single` each item of a list is decided and answered as a request with only this " +
  "item would be.";

export function oneOrMany(operation: Operation): string {
  const one = oneOf(requireType(operation));
  return operation.body === "either" ? `${one} or a list of them` : one;
}

/** A single record in place of a list, and a stream, are described in words: generators can't represent them. */
export function recordsRequest({ body }: Operation, record: Component): Content {
  if (body === "one") return jsonRequest(record);
  const { name, schema, examples } = record;
  const { batchItemsMax: maxItems } = limits;
  const value = Object.values(examples).map((example) => example.value);
  return {
    description: `${encodings}${body === "either" ? " One record may be sent without a list." : ""} Streams may have any length.`,
    content: {
      schema: { type: "array", minItems: 1, maxItems, items: schemaRef(name) },
      examples: { list: { summary: "A list", value } },
    },
    schemas: { [name]: schema },
  };
}

export function writeReply(operation: Operation, mode: WriteMode): Content {
  const type = requireType(operation);
  const schema = schemaRef("WriteResult");
  const description = "Written to stable storage.";
  const value = {
    success: true,
    write_count: 1,
    message: `${describeWritten(mode, type)}.`,
    organization_id: exampleOrganizationId,
  };
  const written: Example = { summary: "Written", value };
  if (operation.body === "one") {
    return { description, content: { schema, examples: { written } }, schemas: writeSchemas };
  }
  const status = mode === "update" ? "updated" : "created";
  const lenient: Example = {
    summary: "With Prefer: handling=lenient",
    value: {
      ...value,
      message: `${value.message} 1 refused; see results.`,
      results: [
        { index: 0, id: idExample(type), status },
        { index: 1, status: "refused", ...refusalExample(type) },
      ],
    },
  };
  return {
    description: `${description} The reply to a stream is a stream: a line for each refused record, then a summary.`,
    headers: ["PreferenceApplied"],
    content: { schema, examples: { written, lenient } },
    schemas: writeSchemas,
  };
}

function refusalExample(type: RecordType): object {
  return {
    code: errorCatalogue.validation_failed.code,
    message: `The ${nounOf(type)} is not valid.`,
    errors: [{ field: type.idField, message: "is required" }],
  };
}

const writeSchemas: Readonly<Record<string, JsonSchema>> = {
  WriteResult: objectSchema(
    "The result of a write. The data is on stable storage.",
    {
      success: { type: "boolean", description: "Always true: the request was processed." },
      write_count: countSchema("Number of changes stored."),
      message: textSchema("The same in words."),
      organization_id: textSchema("Organization that it belongs to."),
      results: {
        type: "array",
        description: "One entry per item, in order; only with `Prefer: handling=lenient`.",
        items: schemaRef("WriteItemResult"),
      },
    },
    { sometimes: ["results"] },
  ),
  WriteItemResult: objectSchema(
    "The result of one item of a list.",
    {
      index: countSchema("Index of the item in the list, from 0."),
      id: textSchema("Identifier of the record; absent if the item has no readable one."),
      status: {
        type: "string",
        description: "What happened to the item.",
        enum: ["created", "updated", "unchanged", "refused"],
      },
      code: codeSchema,
      message: textSchema(
        "Why it was refused; with `verdicts=single` also what was written, as the reply to a single request says.",
      ),
      errors: fieldErrorsSchema,
    },
    { sometimes: ["id", "code", "message", "errors"] },
  ),
};

export function addedRecord(type: RecordType): Component {
  const { title, summary, addSchema, example } = type;
  return {
    name: componentName(type),
    schema: {
      ...describedShape(summary + ruleList(type, ["add", "always"]), addSchema),
      examples: [example],
    },
    examples: { record: { summary: title, value: example } },
  };
}

export function updatedRecord(type: RecordType): Component {
  const description = `Changes to a record that exists. Null clears a field.${ruleList(type, ["always"])}`;
  return {
    name: `${componentName(type)}Update`,
    schema: describedShape(description, withoutDefaults(type.updateSchema)),
    examples: updateExamples(type),
  };
}

/** One changes a required field; the other clears an optional one, if the type's example has one. */
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
