// What the document says about the operations that write records: bodies of one record, a list or a stream, and their
// replies.

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
import {
  type Example,
  type Examples,
  type JsonSchema,
  type MediaType,
  schemaRef,
} from "../openapi/document.ts";
import { codeSchema, fieldErrorsSchema } from "../openapi/error-responses.ts";
import { exampleOrganizationId, idExample } from "../openapi/examples.ts";
import { oneOf } from "../openapi/wording.ts";
import { type Operation, requireType } from "../operation.ts";

/** Describes what a list may be, as the end of a description; empty for an operation that takes one record. */
export function listDescription({ body }: Operation): string {
  return body === "one" ? "" : aboutLists;
}

const aboutLists =
  " A list is all or nothing: if one item is refused, nothing is written and `errors` names every invalid field, such as " +
  "`[3].timestamp`. With `Prefer: handling=lenient` each item is accepted or refused by itself, and `results` has its " +
  "result. The same applies to a stream (`application/x-ndjson`), which has one record per line and may have any length. With " +
  "`Prefer: handling=lenient, verdicts=single` each item of a list is decided and answered as a request with only this " +
  "item would be.";

/** `a transaction`, or with ` or a list of them`. */
export function oneOrMany(operation: Operation): string {
  const one = oneOf(requireType(operation));
  return operation.body === "either" ? `${one} or a list of them` : one;
}

/** The body of one record, a list of them, or a stream, as the operation allows. */
export function recordsRequest({ body }: Operation, record: Component): Content {
  if (body === "one") return jsonRequest(record);
  const { name, schema, examples } = record;
  const one = schemaRef(name);
  const values = Object.values(examples).map(({ value }) => value as object);
  const items = { type: "array", minItems: 1, maxItems: limits.batchItemsMax, items: one };
  const list: Example = { summary: "A list", value: values };
  return {
    description: `${encodings}${body === "either" ? " One record may be sent without a list." : ""} Streams may have any length.`,
    media: {
      // This is not oneOf, although only one can match: from oneOf a common generator makes code that does not compile.
      "application/json":
        body === "list"
          ? { schema: items, examples: { list } }
          : { schema: { anyOf: [one, items] }, examples: { ...examples, list } },
      "application/x-ndjson": streamOf(one, { summary: "A stream", values }),
    },
    schemas: { [name]: schema },
  };
}

export function writeReply(operation: Operation, mode: WriteMode): Content {
  const type = requireType(operation);
  const schema = schemaRef("WriteResult");
  const description = "Written to stable storage.";
  const written = {
    success: true,
    write_count: 1,
    message: `${describeWritten(mode, type)}.`,
    organization_id: exampleOrganizationId,
  };
  const strict: Examples = { written: { summary: "Written", value: written } };
  if (operation.body === "one") {
    const media = { "application/json": { schema, examples: strict } };
    return { description, media, schemas: writeSchemas };
  }
  const status = mode === "update" ? "updated" : "created";
  const lenient: Example = {
    summary: "With Prefer: handling=lenient",
    value: {
      ...written,
      message: `${written.message} 1 refused; see results.`,
      results: [
        { index: 0, id: idExample(type), status },
        { index: 1, status: "refused", ...refusalExample(type) },
      ],
    },
  };
  const line = { oneOf: [schemaRef("StreamRefusal"), schemaRef("StreamSummary")] };
  return {
    description: `${description} The reply to a stream is a stream: a line for each refused record, then a summary.`,
    headers: ["PreferenceApplied"],
    media: {
      "application/json": { schema, examples: { ...strict, lenient } },
      "application/x-ndjson": streamOf(line, {
        summary: "One of two refused",
        values: [{ line: 2, ...refusalExample(type) }, summaryExample],
      }),
    },
    schemas: writeSchemas,
  };
}

/** The body has one JSON value a line; `contentSchema` is the schema of a line. */
function streamOf(
  contentSchema: JsonSchema,
  { summary, values }: { readonly summary: string; readonly values: readonly object[] },
): MediaType {
  const value = values.map((item) => `${JSON.stringify(item)}\n`).join("");
  return {
    schema: {
      type: "string",
      description: "One JSON object per line.",
      contentMediaType: "application/x-ndjson",
      contentSchema,
    },
    examples: { stream: { summary, value } },
  };
}

const summaryExample = {
  success: true,
  write_count: 1,
  message: "The stream was read to its end.",
  organization_id: exampleOrganizationId,
  received: 2,
  unchanged: 0,
  refused: 1,
};

function refusalExample(type: RecordType): object {
  return {
    code: errorCatalogue.validation_failed.code,
    message: `The ${nounOf(type)} is not valid.`,
    errors: [{ field: type.idField, message: "is required" }],
  };
}

const organizationId = textSchema("Organization that it belongs to.");
const refusalSchemas = {
  code: codeSchema,
  message: textSchema("Why it was refused."),
  errors: fieldErrorsSchema,
};

const writeSchemas: Readonly<Record<string, JsonSchema>> = {
  WriteResult: objectSchema(
    "The result of a write. The data is on stable storage.",
    {
      success: { type: "boolean", description: "Always true: the request was processed." },
      write_count: countSchema("Number of changes stored."),
      message: textSchema("The same in words."),
      organization_id: organizationId,
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
      ...refusalSchemas,
      message: textSchema(
        "Why it was refused; with `verdicts=single` also what was written, as the reply to a single request says.",
      ),
    },
    { sometimes: ["id", "code", "message", "errors"] },
  ),
  StreamRefusal: objectSchema(
    "A line of the reply to a stream: a record that was refused.",
    {
      line: countSchema("Line of the request, from 1."),
      id: textSchema("Identifier of the record; absent if the line has no readable one."),
      ...refusalSchemas,
    },
    { sometimes: ["id", "message", "errors"] },
  ),
  StreamSummary: objectSchema(
    "The last line of the reply to a stream. Without it the reply is incomplete, and the stream can safely be sent again.",
    {
      success: { type: "boolean", description: "True if the stream was read to its end." },
      write_count: countSchema("Number of changes stored."),
      message: textSchema("The same in words, or why the stream was not read to its end."),
      organization_id: organizationId,
      received: countSchema("Lines read, without blank ones."),
      unchanged: countSchema("Records that already existed and were identical."),
      refused: countSchema("Records refused."),
      unlisted: countSchema(
        "Refused records without a line in the reply, because the client did not read it while sending.",
      ),
      code: codeSchema,
    },
    { sometimes: ["unlisted", "code"] },
  ),
};
