// The three verbs that write records: POST adds; POST to the batch of a type also adds changes of those that exist; PUT
// changes records that exist.

import { nounOf, type RecordType } from "../../domain/record-type.ts";
import type { WriteMode } from "../../domain/record/record-write.ts";
import type { Component } from "../openapi/content.ts";
import {
  changeErrors,
  deletionOpen,
  errorResponse,
  recordNotFound,
} from "../openapi/error-responses.ts";
import { type Operation, requireType, type Verb } from "../operation.ts";
import {
  listDescription,
  oneOrMany,
  recordsRequest,
  writeReply,
  addedRecord,
  updatedRecord,
} from "../write/write-document.ts";
import { makeWrite } from "../write/make-write.ts";

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
