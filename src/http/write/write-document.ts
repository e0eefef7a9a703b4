// What the document says about the operations that write records.

import { describeWritten } from "../../actions/intake/validation-errors.ts";
import { errorCatalogue } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { nounOf, type RecordType } from "../../domain/record-type.ts";
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
import { type Example, type JsonSchema, schemaRef } from "../openapi/document.ts";
import { codeSchema, fieldErrorsSchema } from "../openapi/error-responses.ts";
import { exampleOrganizationId, idExample } from "../openapi/examples.ts";
import { oneOf } from "../openapi/wording.ts";
import { type Operation, requireType } from "../operation.ts";

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
