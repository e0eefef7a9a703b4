// POST /v2/deletion_request: the same as the DELETE of a type, for clients and proxies that cannot send a body with it.

import { requireScope } from "../../actions/access/identify-caller.ts";
import type { DeletionBasis } from "../../domain/deletion/basis.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { recordTypeByName, recordTypes } from "../../domain/record-types.ts";
import { identifier, oneOf } from "../../domain/schema/fields.ts";
import { closedObject, jsonBody } from "../request/request-check.ts";
import { jsonReply, jsonRequest } from "../openapi/content.ts";
import type { Examples } from "../openapi/document.ts";
import { exampleReason, idExample } from "../openapi/examples.ts";
import { describedShape } from "../openapi/publish-schema.ts";
import { deletionTag } from "../openapi/parts.ts";
import type { Verb } from "../operation.ts";
import {
  acceptedExample,
  acceptedOfAny,
  answerDeletion,
  basisSchema,
  deletionDescription,
  deleteScope,
  deletionErrors,
  queuedDescription,
  reasonSchema,
} from "./request-deletion.ts";

export const deletableTypes: readonly RecordType[] = recordTypes.filter((type) => type.deletable);

export const anyDeletionRequestSchema = closedObject(
  {
    resource_type: oneOf(
      "Type of the record.",
      deletableTypes.map((type) => type.resourceType),
    ),
    resource_id: identifier("Unique identifier of the record."),
    reason: reasonSchema,
    basis: basisSchema,
  },
  { required: ["resource_type", "resource_id", "reason"] },
);

export const requestDeletionByType: Verb = {
  verb: "request deletion by type",
  permission: "delete",
  body: "one",
  success: 200,
  errors: deletionErrors,

  document: (_operation, types) => {
    const deletable = types.filter((type) => type.deletable === true);
    return {
      tag: deletionTag,
      summary: "Request the deletion of a record",
      description: `The same as the DELETE of the type, for clients and proxies that cannot send a body with it. ${deletionDescription}`,
      request: jsonRequest({
        name: "DeletionRequest",
        schema: describedShape("Which record to delete, and why.", anyDeletionRequestSchema),
        examples: exampleOfEach(deletable, (type) => ({
          resource_type: type.resourceType,
          resource_id: idExample(type),
          reason: exampleReason,
        })),
      }),
      reply: jsonReply(queuedDescription, {
        name: "DeletionAccepted",
        schema: acceptedOfAny(deletable),
        examples: exampleOfEach(deletable, acceptedExample),
      }),
    };
  },

  makeHandler: (context, operation) => {
    const read = jsonBody(anyDeletionRequestSchema, "deletion request");
    return async (input) => {
      const { body, bytes } = await read(input.request);
      const asked = body as {
        resource_type: string;
        resource_id: string;
        reason: string;
        basis?: DeletionBasis;
      };
      const type = recordTypeByName(asked.resource_type);
      if (type === undefined) throw new Error("a valid deletion request names no known type");
      requireScope(input.caller, deleteScope(type));
      const { resource_id: id, reason, basis } = asked;
      return answerDeletion(context, input, { operation, type, id, reason, basis, bytes });
    };
  },
};

function exampleOfEach(types: readonly RecordType[], make: (type: RecordType) => object): Examples {
  return Object.fromEntries(
    types.map((type) => [type.resourceType, { summary: type.title, value: make(type) }]),
  );
}
