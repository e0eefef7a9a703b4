// POST /v2/<type>: adds a record, or a list or stream of them where the type has no path for batches.

import { errorResponse } from "../openapi/error-responses.ts";
import { requireType, type Verb } from "../operation.ts";
import { addedRecord } from "../write/record-schema.ts";
import { listDescription, oneOrMany, recordsRequest, writeReply } from "../write/write-document.ts";
import { makeWrite, writeErrors } from "../write/write-records.ts";

export const addRecords: Verb = {
  verb: "add records",
  permission: "write",
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
    ...writeErrors,
  ],

  document: (operation) => ({
    summary: `Add ${oneOrMany(operation)}`,
    description:
      "An id that already exists is 409; `code` distinguishes an identical record (40901) from a different one (40902)." +
      listDescription(operation),
    request: recordsRequest(operation, addedRecord(requireType(operation))),
    reply: writeReply(operation, "add"),
  }),

  makeHandler: (context, operation) => makeWrite(context, operation, "add"),
};
