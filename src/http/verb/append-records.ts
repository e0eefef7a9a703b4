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
      "Unlike a single POST, this stores a further change of a record that already exists and skips an identical one, so that " +
      `a batch can safely be sent again; \`write_count\` is the number of changes stored.${listDescription(operation)}`,
    request: recordsRequest(operation, addedRecord(requireType(operation))),
    reply: writeReply(operation, "append"),
  }),

  makeHandler: (context, operation) => makeWrite(context, operation, "append"),
};
