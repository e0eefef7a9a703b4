// DELETE /v2/<type>: queues the deletion of a record.

import { requireScope } from "../../actions/access/identify-caller.ts";
import { keySpaceOf } from "../../actions/intake/idempotency.ts";
import { requestDeletion as queueDeletion } from "../../actions/deletion/request-deletion.ts";
import type { DeletionBasis } from "../../domain/deletion/basis.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { requireRecordType } from "../../domain/record-types.ts";
import type { Scope } from "../../domain/scope.ts";
import { jsonBody } from "../request/request-check.ts";
import type { HttpContext } from "../http-context.ts";
import { changeErrors, recordNotFound, requestInFlight } from "../openapi/error-responses.ts";
import { type HandlerInput, type Operation, requireType, type Verb } from "../operation.ts";
import { type Answer, jsonAnswer } from "../reply/reply.ts";
import { keyedRequest, markOf } from "../request/idempotency-key.ts";
import {
  deletionRequestSchema,
  anyDeletionRequestSchema,
  documentDeletion,
  documentDeletionByType,
} from "./deletion-document.ts";

export function deleteScope({ family }: RecordType): Scope {
  return `${family}:delete` as Scope;
}

const deletionErrors = [recordNotFound, requestInFlight, ...changeErrors];

export const requestDeletion: Verb = {
  verb: "request deletion",
  permission: "delete",
  body: "one",
  success: 200,
  errors: deletionErrors,

  document: documentDeletion,

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

async function answerDeletion(
  { app, onDeletionRequested }: HttpContext,
  { request, caller }: HandlerInput,
  { operation, bytes, ...wanted }: Wanted,
): Promise<Answer> {
  const { type, id } = wanted;
  const idempotency = markOf(keyedRequest(request, operation, keySpaceOf(caller, type)), bytes);
  const deletionRequestId = await queueDeletion(app, caller, { ...wanted, idempotency });
  onDeletionRequested();
  return jsonAnswer(200, { [type.idField]: id, deletion_request_id: deletionRequestId });
}

export const requestDeletionByType: Verb = {
  verb: "request deletion by type",
  permission: "delete",
  body: "one",
  success: 200,
  errors: deletionErrors,

  document: documentDeletionByType,

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
      const type = requireRecordType(asked.resource_type);
      requireScope(input.caller, deleteScope(type));
      const { resource_id: id, reason, basis } = asked;
      return answerDeletion(context, input, { operation, type, id, reason, basis, bytes });
    };
  },
};
