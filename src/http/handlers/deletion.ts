// DELETE /v2/<type>, its twin POST /v2/deletion_request, and GET /v2/deletion_request.

import { requireScope } from "../../actions/identify-caller.ts";
import { readDeletion, viewDeletion } from "../../actions/read-deletion.ts";
import { requestDeletion } from "../../actions/request-deletion.ts";
import { AppError } from "../../domain/error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { recordTypeByName } from "../../domain/record-types.ts";
import type { Scope } from "../../domain/scope.ts";
import type { HttpContext } from "../http-context.ts";
import { idempotencyMark } from "../request/idempotency-key.ts";
import type { Operation } from "../operation.ts";
import { parseJson } from "../body/parse-json.ts";
import { queryIdentifier } from "../request/query.ts";
import { mediaTypeOf, readSmallBody } from "../body/read-body.ts";
import type { Answer } from "../reply/reply.ts";
import {
  anyDeletionRequestSchema,
  deletionRequestSchema,
  requestCheck,
} from "../request/request-schemas.ts";
import { requireType } from "../body/require-type.ts";
import { type Call, type HandlerMaker, ok } from "./handler.ts";

export const makeRequestDeletion: HandlerMaker = (context, operation) => {
  const type = requireType(operation);
  const check = requestCheck(deletionRequestSchema(type), "deletion request");
  return async (call) => {
    requireBody(call);
    const { body, bytes } = await readJson(call);
    check(body);
    const { [type.idField]: id = "", reason = "" } = body as Record<string, string>;
    return request(context, call, { operation, type, id, reason, bytes });
  };
};

export const makeRequestDeletionByType: HandlerMaker = (context, operation) => {
  const check = requestCheck(anyDeletionRequestSchema, "deletion request");
  return async (call) => {
    const { body, bytes } = await readJson(call);
    check(body);
    const asked = body as { resource_type: string; resource_id: string; reason: string };
    const type = recordTypeByName(asked.resource_type);
    if (type === undefined) throw new Error("a valid deletion request names no known type");
    requireScope(call.caller, deleteScope(type));
    const { resource_id: id, reason } = asked;
    return request(context, call, { operation, type, id, reason, bytes });
  };
};

export const makeReadDeletion: HandlerMaker = ({ app }) => {
  return async ({ request: http, caller }) => {
    const deletionRequestId = queryIdentifier(http, "deletion_request_id");
    const { organizationId } = caller;
    const { deletion, receipt } = await readDeletion(app, { organizationId, deletionRequestId });
    const type = recordTypeByName(deletion.resourceType);
    if (type !== undefined) requireScope(caller, deleteScope(type));
    return ok(200, viewDeletion(deletion, receipt));
  };
};

interface Wanted {
  readonly operation: Operation;
  readonly type: RecordType;
  readonly id: string;
  readonly reason: string;
  readonly bytes: Buffer;
}

async function request(
  { app, onDeletionRequested }: HttpContext,
  { request: http, caller }: Call,
  { operation, type, id, reason, bytes }: Wanted,
): Promise<Answer> {
  const { organizationId } = caller;
  const idempotency = idempotencyMark(http, { organizationId, operation, body: bytes });
  const deletionRequestId = await requestDeletion(app, caller, { type, id, reason, idempotency });
  onDeletionRequested();
  return ok(200, { [type.idField]: id, deletion_request_id: deletionRequestId });
}

/** Some proxies drop the body of a DELETE, and what comes of that should not puzzle anybody. */
function requireBody({ request: { headers } }: Call): void {
  const { "content-length": length = "0", "transfer-encoding": encoding } = headers;
  if (encoding !== undefined || Number(length) > 0) return;
  throw new AppError("malformed_json", {
    message:
      "The body is empty; send JSON. If something on the way drops the body of a DELETE, " +
      "send POST /v2/deletion_request instead.",
  });
}

async function readJson({ request: http }: Call): Promise<{ body: unknown; bytes: Buffer }> {
  mediaTypeOf(http.raw, false);
  const bytes = await readSmallBody(http.raw);
  return { body: parseJson(bytes), bytes };
}

function deleteScope(type: RecordType): Scope {
  return `${type.family}:delete` as Scope;
}
