// What the document says about requests of deletions, and their bodies.

import { deletionBasisNames } from "../../domain/deletion/basis.ts";
import { limits } from "../../domain/limits.ts";
import { nounOf, type RecordType } from "../../domain/record-type.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { identifier, oneOf as oneOfNames } from "../../domain/schema/fields.ts";
import type { ObjectSchema, SchemaShape } from "../../domain/schema/schema-shape.ts";
import { closedObject } from "../request/request-check.ts";
import { jsonReply, jsonRequest, objectSchema, textSchema } from "../openapi/content.ts";
import type { Example, Examples, JsonSchema } from "../openapi/document.ts";
import { exampleDeletionId, exampleReason, idExample } from "../openapi/examples.ts";
import { deletionTag } from "../openapi/parts.ts";
import { describedShape } from "../openapi/publish-schema.ts";
import { componentName, oneOf } from "../openapi/wording.ts";
import { type Operation, requireType, type Verb } from "../operation.ts";

const reasonSchema: SchemaShape = {
  type: "string",
  description: "Reason for deletion.",
  minLength: 1,
  maxLength: limits.reasonCharactersMax,
  format: "no-nul",
  expected: `text of 1 to ${limits.reasonCharactersMax} characters without NUL (U+0000)`,
};

const basisSchema: SchemaShape = oneOfNames(
  "On which basis the request rests. The receipt contains its salted hash.",
  deletionBasisNames,
);

export function deletionRequestSchema(type: RecordType): ObjectSchema {
  const id = identifier(`Unique identifier of the ${nounOf(type)}.`);
  return closedObject(
    { [type.idField]: id, reason: reasonSchema, basis: basisSchema },
    { required: [type.idField, "reason"] },
  );
}

const queuedDescription = "The deletion is queued.";

const deletionDescription =
  "Queues the permanent deletion of the record and everything that belongs to it, and replies at once, before anything is " +
  "removed. While a deletion is open, another request returns the same `deletion_request_id`, and writes to the record " +
  "are 409.";

const requestId = textSchema(
  "Unique identifier of the deletion request, for `GET /v2/deletion_request`.",
);

function idSchemas(types: readonly RecordType[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    types.map((type) => [type.idField, textSchema(`Unique identifier of the ${nounOf(type)}.`)]),
  );
}

function acceptedSchema(types: readonly RecordType[], description: string): JsonSchema {
  const ids = idSchemas(types);
  const sometimes = types.length === 1 ? [] : Object.keys(ids);
  return objectSchema(description, { ...ids, deletion_request_id: requestId }, { sometimes });
}

function acceptedExample(type: RecordType): object {
  return { [type.idField]: idExample(type), deletion_request_id: exampleDeletionId };
}

// POST /v2/deletion_request: the same, for clients and proxies that cannot send a body with a DELETE.

export const deletableTypes: readonly RecordType[] = recordTypes.filter((type) => type.deletable);

export const anyDeletionRequestSchema = closedObject(
  {
    resource_type: oneOfNames(
      "Type of the record.",
      deletableTypes.map((type) => type.resourceType),
    ),
    resource_id: identifier("Unique identifier of the record."),
    reason: reasonSchema,
    basis: basisSchema,
  },
  { required: ["resource_type", "resource_id", "reason"] },
);

function exampleOfEach(types: readonly RecordType[], make: (type: RecordType) => object): Examples {
  return Object.fromEntries(
    types.map((type) => [type.resourceType, { summary: type.title, value: make(type) }]),
  );
}

export function documentDeletion(operation: Operation): ReturnType<Verb["document"]> {
  const type = requireType(operation);
  const deletion: Example = {
    summary: "With a reason",
    value: { [type.idField]: idExample(type), reason: exampleReason },
  };
  const queued: Example = { summary: "Queued", value: acceptedExample(type) };
  return {
    summary: `Request the deletion of ${oneOf(type)}`,
    description: `${deletionDescription} Where a DELETE cannot have a body, use \`POST /v2/deletion_request\`.`,
    request: jsonRequest({
      name: `${componentName(type)}DeletionRequest`,
      schema: describedShape(
        `Which ${nounOf(type)} to delete, and why.`,
        deletionRequestSchema(type),
      ),
      examples: { deletion },
    }),
    reply: jsonReply(queuedDescription, {
      name: `${componentName(type)}DeletionAccepted`,
      schema: acceptedSchema([type], queuedDescription),
      examples: { queued },
    }),
  };
}

export function documentDeletionByType(
  _operation: Operation,
  types: readonly RecordType[],
): ReturnType<Verb["document"]> {
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
      schema: acceptedSchema(
        deletable,
        "The deletion is queued; the same reply as to the DELETE of the type.",
      ),
      examples: exampleOfEach(deletable, acceptedExample),
    }),
  };
}
