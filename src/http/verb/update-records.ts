// PUT /v2/<type> and of its batch: changes records that exist.

import { nounOf } from "../../domain/record-type.ts";
import { deletionOpen, recordNotFound } from "../openapi/error-responses.ts";
import { requireType, type Verb } from "../operation.ts";
import { updatedRecord } from "../write/record-schema.ts";
import { listDescription, oneOrMany, recordsRequest, writeReply } from "../write/write-document.ts";
import { makeWrite, writeErrors } from "../write/write-records.ts";

export const updateRecords: Verb = {
  verb: "update records",
  permission: "write",
  body: "either",
  success: 200,
  errors: [recordNotFound, deletionOpen, ...writeErrors],

  document: (operation) => ({
    summary:
      operation.body === "list"
        ? `Update ${nounOf(requireType(operation))} records in batch`
        : `Update ${oneOrMany(operation)}`,
    description:
      "Only the id and `timestamp` are required. Fields that are left out do not change; `null` clears an optional field. " +
      "An id that does not exist is 404." +
      listDescription(operation),
    request: recordsRequest(operation, updatedRecord(requireType(operation))),
    reply: writeReply(operation, "update"),
  }),

  makeHandler: (context, operation) => makeWrite(context, operation, "update"),
};
