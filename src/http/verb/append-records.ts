// POST /v2/<types>, the batch of a type: adds records, and further changes of those that exist.

import { nounOf } from "../../domain/record-type.ts";
import { deletionOpen } from "../openapi/error-responses.ts";
import { requireType, type Verb } from "../operation.ts";
import { addedRecord } from "../write/record-schema.ts";
import { listDescription, recordsRequest, writeReply } from "../write/write-document.ts";
import { makeWrite, writeErrors } from "../write/write-records.ts";

export const appendRecords: Verb = {
  verb: "append records",
  permission: "write",
  body: "list",
  success: 200,
  errors: [deletionOpen, ...writeErrors],

  document: (operation) => ({
    summary: `Add ${nounOf(requireType(operation))} records in batch`,
    description:
      "Unlike a single POST, this records a further change of what exists already and skips an identical one, so that " +
      `a batch can be sent again safely; \`write_count\` counts what was written.${listDescription(operation)}`,
    request: recordsRequest(operation, addedRecord(requireType(operation))),
    reply: writeReply(operation, "append"),
  }),

  makeHandler: (context, operation) => makeWrite(context, operation, "append"),
};
