// What an operation takes and what it answers when all goes well: schemas, media types, examples.

import { limits } from "../../domain/limits.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { Operation, Verb } from "../operation.ts";
import { requireType } from "../body/require-type.ts";
import {
  type Example,
  type Examples,
  type JsonSchema,
  type MediaType,
  type RequestBodyObject,
  type ResponseObject,
  schemaRef,
} from "./document.ts";
import * as examples from "./examples.ts";
import { headersOf, usualHeaders } from "./parts.ts";
import { componentName } from "./wording.ts";

const encodings = "May be sent with `Content-Encoding` gzip, br or zstd.";

interface Bodies {
  readonly request?: RequestBodyObject;
  readonly success: ResponseObject;
}

/** `deletable`: the types that `POST /v2/deletion_request` takes. */
export function bodiesOf(operation: Operation, deletable: readonly RecordType[]): Bodies {
  return makers[operation.verb](operation, deletable);
}

type BodiesMaker = (operation: Operation, deletable: readonly RecordType[]) => Bodies;

const makers: Readonly<Record<Verb, BodiesMaker>> = {
  "issue token": () => ({
    request: jsonBody("AccessTokenRequest", {
      token: { summary: "For an hour", value: examples.tokenRequestExample },
    }),
    success: answer("The access token.", "AccessToken", {
      token: { summary: "A token", value: examples.tokenExample },
    }),
  }),
  "check record": (operation) => {
    const type = requireType(operation);
    const value = examples.existenceExample(type);
    const shown = { exists: { summary: "Sent once", value } };
    return { success: answer("It exists.", `${componentName(type)}Existence`, shown) };
  },
  "add records": (operation) => ({
    request: recordBody(operation),
    success: written(operation, "added"),
  }),
  "append records": (operation) => ({
    request: recordBody(operation),
    success: written(operation, "recorded"),
  }),
  "update records": (operation) => ({
    request: recordBody(operation),
    success: written(operation, "updated"),
  }),
  "request deletion": (operation) => {
    const type = requireType(operation);
    const name = componentName(type);
    return {
      request: jsonBody(`${name}DeletionRequest`, {
        deletion: { summary: "With a reason", value: examples.deletionRequestExample(type) },
      }),
      success: answer(queued, `${name}DeletionAccepted`, {
        queued: { summary: "Queued", value: examples.deletionAcceptedExample(type) },
      }),
    };
  },
  "request deletion by type": (_operation, deletable) => ({
    request: jsonBody("DeletionRequest", eachType(deletable, examples.anyDeletionRequestExample)),
    success: answer(
      queued,
      "DeletionAccepted",
      eachType(deletable, examples.deletionAcceptedExample),
    ),
  }),
  "read deletion": (_operation, [first]) => {
    const shown = first === undefined ? {} : examples.deletionStatusExamples(first);
    return { success: answer("The status of the deletion request.", "DeletionStatus", shown) };
  },
};

const queued = "The deletion is queued.";

function jsonBody(component: string, shown: Examples): RequestBodyObject {
  const content = { "application/json": { schema: schemaRef(component), examples: shown } };
  return { description: encodings, required: true, content };
}

function answer(description: string, component: string, shown: Examples): ResponseObject {
  const content = { "application/json": { schema: schemaRef(component), examples: shown } };
  return { description, headers: headersOf(...usualHeaders), content };
}

function eachType(types: readonly RecordType[], make: (type: RecordType) => object): Examples {
  return Object.fromEntries(
    types.map((type) => [type.resourceType, { summary: type.title, value: make(type) }]),
  );
}

function recordBody(operation: Operation): RequestBodyObject {
  const { verb, body } = operation;
  const type = requireType(operation);
  const one = schemaRef(`${componentName(type)}${verb === "update records" ? "Update" : ""}`);
  const shown = recordExamples(type, verb === "update records");
  const list: JsonSchema = {
    type: "array",
    minItems: 1,
    maxItems: limits.batchItemsMax,
    items: one,
  };
  const single = body === "list" ? {} : shown;
  const listed: Example = {
    summary: "A list",
    value: Object.values(shown).map(({ value }) => value),
  };
  // Not oneOf, though never both hold: one of the common generators makes code of it that does not compile.
  const schema = { one, list, either: { anyOf: [one, list] }, none: {} }[body];
  const json: MediaType = {
    schema,
    examples: body === "one" ? single : { ...single, list: listed },
  };
  if (body === "one") {
    return { description: encodings, required: true, content: { "application/json": json } };
  }
  return {
    description: `${encodings} Streams may have any length.`,
    required: true,
    content: { "application/json": json, "application/x-ndjson": stream(one, [listed]) },
  };
}

function recordExamples(type: RecordType, update: boolean): Record<string, Example> {
  if (!update) return { record: { summary: type.title, value: type.example } };
  const clear = examples.clearExample(type);
  const change: Example = { summary: "Change a field", value: examples.changeExample(type) };
  return clear === undefined
    ? { change }
    : { change, clear: { summary: "Clear a field", value: clear } };
}

function written(operation: Operation, verb: string): ResponseObject {
  const headers = headersOf(...usualHeaders);
  const schema = schemaRef("WriteResult");
  const shown = examples.writeExamples(operation, verb);
  const json = { schema, examples: shown };
  const description = "Written, and on stable storage.";
  if (operation.body === "one") {
    return { description, headers, content: { "application/json": json } };
  }
  const line = { oneOf: [schemaRef("StreamRefusal"), schemaRef("StreamSummary")] };
  const reply = examples.streamExample(requireType(operation));
  return {
    description: `${description} A stream is answered as a stream: a line for each item that was refused, then a summary.`,
    headers: { ...headers, ...headersOf("PreferenceApplied") },
    content: {
      "application/json": json,
      "application/x-ndjson": stream(line, [{ summary: "One of two refused", value: reply }]),
    },
  };
}

/** One JSON value a line; `contentSchema` is that of a line. */
function stream(line: JsonSchema, [example]: readonly [Example]): MediaType {
  const { summary, value } = example;
  const text = typeof value === "string" ? value : examples.lines(value as readonly object[]);
  return {
    schema: {
      type: "string",
      description: "One JSON object a line.",
      contentMediaType: "application/x-ndjson",
      contentSchema: line,
    },
    examples: {
      stream: { summary: typeof value === "string" ? summary : "A stream", value: text },
    },
  };
}
