// The three verbs that write records: POST adds; POST to the batch of a type also adds changes of those that exist; PUT
// changes records that exist.

import { nounOf, type RecordType, type Payload } from "../../domain/record-type.ts";
import type { WriteMode } from "../../domain/record/record-write.ts";
import type { Component } from "../openapi/content.ts";
import {
  changeErrors,
  deletionOpen,
  errorResponse,
  recordNotFound,
} from "../openapi/error-responses.ts";
import { type Operation, requireType, type Verb } from "../operation.ts";
import { listDescription, oneOrMany, recordsRequest, writeReply } from "../write/write-document.ts";
import { makeWrite } from "../write/make-write.ts";
import type { Examples } from "../openapi/document.ts";
import { describedShape } from "../openapi/publish-schema.ts";
import { componentName } from "../openapi/wording.ts";

interface WriteVerb extends Pick<Verb, "verb" | "body" | "success" | "errors"> {
  readonly mode: WriteMode;
  readonly summary: (operation: Operation) => string;
  readonly description: string;
  readonly recordOf: (type: RecordType) => Component;
}

function writeVerb({ mode, summary, description, recordOf, errors, ...verb }: WriteVerb): Verb {
  return {
    ...verb,
    permission: "write",
    errors: [...errors, ...changeErrors],
    document: (operation) => ({
      summary: summary(operation),
      description: description + listDescription(operation),
      request: recordsRequest(operation, recordOf(requireType(operation))),
      reply: writeReply(operation, mode),
    }),
    makeHandler: (context, operation) => makeWrite(context, operation, mode),
  };
}

const inBatch = (operation: Operation) => `${nounOf(requireType(operation))} records in batch`;

export const addRecords = writeVerb({
  verb: "add records",
  mode: "add",
  body: "either",
  success: 201,
  errors: [
    errorResponse("RecordConflict", {
      description:
        "The record already exists, a deletion of it is open, or the first request is in flight.",
      errors: [
        "identical_record_exists",
        "record_exists",
        "deletion_open",
        "idempotency_in_flight",
      ],
      headers: ["RetryAfter"],
    }),
  ],
  summary: (operation) => `Add ${oneOrMany(operation)}`,
  description:
    "An id that already exists is 409; `code` distinguishes an identical record (40901) from a different one (40902).",
  recordOf: addedRecord,
});

export const appendRecords = writeVerb({
  verb: "append records",
  mode: "append",
  body: "list",
  success: 200,
  errors: [deletionOpen],
  summary: (operation) => `Add ${inBatch(operation)}`,
  description:
    "Unlike a single POST, this stores a further change of a record that already exists and skips an identical one, so that " +
    "a batch can safely be sent again; `write_count` is the number of changes stored.",
  recordOf: addedRecord,
});

export const updateRecords = writeVerb({
  verb: "update records",
  mode: "update",
  body: "either",
  success: 200,
  errors: [recordNotFound, deletionOpen],
  summary: (operation) =>
    `Update ${operation.body === "list" ? inBatch(operation) : oneOrMany(operation)}`,
  description:
    "Only the id and `timestamp` are required. Fields that are left out do not change; `null` clears an optional field. " +
    "An id that does not exist is 404.",
  recordOf: updatedRecord,
});

function addedRecord(type: RecordType): Component {
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

function updatedRecord(type: RecordType): Component {
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
