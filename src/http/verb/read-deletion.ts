// GET /v2/deletion_request: the status of a deletion, and its receipt once it is completed.

import { requireScope } from "../../actions/access/identify-caller.ts";
import {
  findDeletionFor,
  readDeletion as viewDeletion,
} from "../../actions/deletion/read-deletion.ts";
import { deletionBasisNames } from "../../domain/deletion/basis.ts";
import { deletionStatuses } from "../../domain/deletion/deletion.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { recordTypeByName } from "../../domain/record-types.ts";
import { jsonReply, objectSchema, textSchema, timeSchema } from "../openapi/content.ts";
import { type Examples, schemaRef } from "../openapi/document.ts";
import { errorResponse } from "../openapi/error-responses.ts";
import { exampleDeletionId, exampleReason, idExample } from "../openapi/examples.ts";
import {
  deletionReceipt,
  disclosureExample,
  disclosuresSchema,
  receiptExample,
  receiptParts,
  recipientStatement,
} from "../openapi/receipt-schema.ts";
import { deletionTag } from "../openapi/parts.ts";
import type { Verb } from "../operation.ts";
import { jsonAnswer } from "../reply/reply.ts";
import { queryIdentifier } from "../request/query.ts";
import { deleteScope } from "./request-deletion.ts";

const statusSchema = objectSchema(
  "The status of a deletion.",
  {
    deletion_request_id: textSchema("Unique identifier of the deletion request."),
    resource_type: textSchema("Type of the record."),
    resource_id: textSchema("Unique identifier of the record."),
    basis: { ...textSchema("Basis that the request stated."), enum: [...deletionBasisNames] },
    status: { ...textSchema("Status of the request."), enum: [...deletionStatuses] },
    requested_at: timeSchema("When it was requested."),
    due_at: timeSchema(
      "When it will be processed, if that is later than the request: at the end of a grace period or of a retention floor.",
    ),
    completed_at: timeSchema("When it was completed and verified."),
    erased: {
      type: "object",
      description:
        "Number of records that the organization no longer has, by type; types without any are left out, and " +
        "confidential types unless the token has their read scope.",
      additionalProperties: { type: "integer", format: "int64", minimum: 1 },
    },
    receipt: schemaRef("DeletionReceipt"),
    disclosures: disclosuresSchema,
    disclosed_approval: schemaRef("DisclosedApproval"),
    disclosed_basis: schemaRef("DisclosedBasis"),
    recipients: {
      type: "array",
      description: "The recipients of changes that were informed about what was erased.",
      items: schemaRef("InformedRecipient"),
    },
    statement: schemaRef("RecipientStatement"),
  },
  {
    sometimes:
      "basis due_at completed_at erased receipt disclosures disclosed_approval disclosed_basis recipients statement".split(
        " ",
      ),
  },
);

const informedSchema = objectSchema(
  "A recipient that was informed about what a deletion has erased.",
  {
    name: textSchema("Name of the recipient."),
    told_at: timeSchema("When the last notice for it was written to the feed of changes."),
    acknowledged_at: timeSchema("When it had acknowledged all of them."),
    removed_at: timeSchema("When it was removed before it had."),
    expired_at: timeSchema("When a notice was erased, because of its age, before it had."),
  },
  { sometimes: ["acknowledged_at", "removed_at", "expired_at"] },
);

export const readDeletion: Verb = {
  verb: "read deletion",
  permission: "delete",
  body: "none",
  success: 200,
  errors: [
    errorResponse("DeletionNotFound", {
      description: "Not found: this organization has no such deletion request.",
      errors: ["no_such_deletion"],
    }),
  ],

  document: (_operation, types) => {
    const shown = types.find((type) => type.deletable === true);
    return {
      tag: deletionTag,
      summary: "Read the status of a deletion request",
      description:
        "`pending`, `processing`, `completed`, or `cancelled` by the operator. Completed means verified: a second check found " +
        "nothing left. There is no failed state; a deletion that fails is retried until it succeeds.",
      query: {
        name: "deletion_request_id",
        description: "Unique identifier of the deletion request.",
        example: exampleDeletionId,
      },
      reply: jsonReply("The status of the deletion request.", {
        name: "DeletionStatus",
        schema: statusSchema,
        parts: {
          DeletionReceipt: deletionReceipt,
          InformedRecipient: informedSchema,
          RecipientStatement: recipientStatement,
          ...receiptParts,
        },
        examples: shown === undefined ? {} : statusExamples(shown),
      }),
    };
  },

  makeHandler: ({ app }) => {
    return async ({ request, caller }) => {
      const deletionRequestId = queryIdentifier(request, "deletion_request_id");
      const deletion = await findDeletionFor(app, deletionRequestId, caller);
      const type = recordTypeByName(deletion.resourceType);
      if (type !== undefined) requireScope(caller, deleteScope(type));
      return jsonAnswer(200, await viewDeletion(app, deletion, caller));
    };
  },
};

function statusExamples(type: RecordType): Examples {
  const record = { resource_type: type.resourceType, resource_id: idExample(type) };
  const pending = {
    deletion_request_id: exampleDeletionId,
    ...record,
    status: "pending",
    requested_at: "2026-03-01T10:00:00.000Z",
  };
  const erased = { [type.resourceType]: 1 };
  const receipt = {
    ...receiptExample,
    deletion_request_id: exampleDeletionId,
    asked: {
      ...record,
      reason: exampleReason,
      by: "key_4fQ2mN8sT1vXc7Za",
      at: pending.requested_at,
    },
  };
  const { completed_at } = receiptExample;
  const done = { completed_at, erased, receipt };
  const disclosures = { [type.resourceType]: disclosureExample };
  const told_at = completed_at;
  const recipients = [{ name: "warehouse", told_at, acknowledged_at: "2026-03-01T11:00:00.000Z" }];
  const completed = { ...pending, status: "completed", ...done, disclosures, recipients };
  const waiting = { ...pending, due_at: "2031-02-28T10:00:00.000Z" };
  return {
    pending: { summary: "Not begun yet", value: pending },
    waiting: { summary: "Under a retention floor", value: waiting },
    completed: { summary: "Done and verified", value: completed },
  };
}
