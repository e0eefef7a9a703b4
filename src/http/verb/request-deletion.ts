// DELETE /v2/<type>: queues the deletion of a record. POST /v2/deletion_request shares this code.

import { keySpaceOf } from "../../actions/intake/idempotency.ts";
import { requestDeletion as queueDeletion } from "../../actions/deletion/request-deletion.ts";
import { type DeletionBasis, deletionBasisNames } from "../../domain/deletion/basis.ts";
import { limits } from "../../domain/limits.ts";
import { nounOf, type RecordType } from "../../domain/record-type.ts";
import { identifier, oneOf as oneOfNames } from "../../domain/schema/fields.ts";
import type { ObjectSchema, SchemaShape } from "../../domain/schema/schema-shape.ts";
import type { Scope } from "../../domain/scope.ts";
import { closedObject, jsonBody } from "../request/request-check.ts";
import type { HttpContext } from "../http-context.ts";
import { jsonReply, jsonRequest, objectSchema, textSchema } from "../openapi/content.ts";
import type { Example, JsonSchema } from "../openapi/document.ts";
import { changeErrors, recordNotFound, requestInFlight } from "../openapi/error-responses.ts";
import { exampleDeletionId, exampleReason, idExample } from "../openapi/examples.ts";
import { describedShape } from "../openapi/publish-schema.ts";
import { componentName, oneOf } from "../openapi/wording.ts";
import { type HandlerInput, type Operation, requireType, type Verb } from "../operation.ts";
import { type Answer, jsonAnswer } from "../reply/reply.ts";
import { idempotencyMark } from "../request/idempotency-key.ts";

export const reasonSchema: SchemaShape = {
  type: "string",
  description: "Reason for deletion.",
  minLength: 1,
  maxLength: limits.reasonCharactersMax,
  format: "no-nul",
  expected: `text of 1 to ${limits.reasonCharactersMax} characters without NUL (U+0000)`,
};

export const basisSchema: SchemaShape = oneOfNames(
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

export const queuedDescription = "The deletion is queued.";

export const deletionDescription =
  "Queues the permanent deletion of the record and everything that belongs to it, and replies at once, before anything is " +
  "removed. While a deletion is open, another request returns the same `deletion_request_id`, and writes to the record " +
  "are 409.";

export function acceptedName(type: RecordType): string {
  return `${componentName(type)}DeletionAccepted`;
}

const requestId = textSchema(
  "Unique identifier of the deletion request, for `GET /v2/deletion_request`.",
);

function idSchemas(types: readonly RecordType[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    types.map((type) => [type.idField, textSchema(`Unique identifier of the ${nounOf(type)}.`)]),
  );
}

function acceptedSchema(type: RecordType): JsonSchema {
  const properties = { ...idSchemas([type]), deletion_request_id: requestId };
  return objectSchema("The deletion is queued.", properties);
}

/** Has the id of one of the types. */
export function acceptedOfAny(types: readonly RecordType[]): JsonSchema {
  const ids = idSchemas(types);
  return objectSchema(
    "The deletion is queued; the same reply as to the DELETE of the type.",
    { ...ids, deletion_request_id: requestId },
    { sometimes: Object.keys(ids) },
  );
}

export function acceptedExample(type: RecordType): object {
  return { [type.idField]: idExample(type), deletion_request_id: exampleDeletionId };
}

export function deleteScope({ family }: RecordType): Scope {
  return `${family}:delete` as Scope;
}

export const deletionErrors = [recordNotFound, requestInFlight, ...changeErrors];

export const requestDeletion: Verb = {
  verb: "request deletion",
  permission: "delete",
  body: "one",
  success: 200,
  errors: deletionErrors,

  document: (operation) => {
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
        name: acceptedName(type),
        schema: acceptedSchema(type),
        examples: { queued },
      }),
    };
  },

  makeHandler: (context, operation) => {
    const type = requireType(operation);
    const read = jsonBody(deletionRequestSchema(type), "deletion request", dropsBody);
    return async (input) => {
      const { body, bytes } = await read(input.request);
      const { [type.idField]: id = "", reason = "" } = body as Record<string, string>;
      const { basis } = body as { basis?: DeletionBasis };
      return answerDeletion(context, input, { operation, type, id, reason, basis, bytes });
    };
  },
};

const dropsBody =
  "If something on the way drops the body of a DELETE, send POST /v2/deletion_request instead.";

interface Wanted {
  readonly operation: Operation;
  readonly type: RecordType;
  readonly id: string;
  readonly reason: string;
  readonly basis: DeletionBasis | undefined;
  readonly bytes: Buffer;
}

export async function answerDeletion(
  { app, onDeletionRequested }: HttpContext,
  { request, caller }: HandlerInput,
  { operation, bytes, ...wanted }: Wanted,
): Promise<Answer> {
  const { type, id } = wanted;
  const keySpace = keySpaceOf(caller, type);
  const idempotency = idempotencyMark(request, { keySpace, operation, body: bytes });
  const deletionRequestId = await queueDeletion(app, caller, { ...wanted, idempotency });
  onDeletionRequested();
  return jsonAnswer(200, { [type.idField]: id, deletion_request_id: deletionRequestId });
}
