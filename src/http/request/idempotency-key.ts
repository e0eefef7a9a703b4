// The Idempotency-Key header: its validation, and the request that it identifies.

import type { FastifyRequest } from "fastify";
import { type KeyedRequest, markRequest } from "../../actions/intake/idempotency.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { IdempotencyMark } from "../../domain/record/record-write.ts";
import type { Operation } from "../operation.ts";

/** Undefined without the header. Throws AppError validation_failed if it was sent twice, is too long or is empty. */
export function keyedRequest(
  { headers, raw }: FastifyRequest,
  { method, path }: Operation,
  keySpace: string,
): KeyedRequest | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  requireValid(key, raw.rawHeaders);
  const writeOptions = String(headers["prefer"] ?? "");
  return { keySpace, idempotencyKey: key, operation: `${method} ${path}`, writeOptions };
}

export function markOf(
  request: KeyedRequest | undefined,
  body: Buffer,
): IdempotencyMark | undefined {
  return request && markRequest(request.keySpace, { ...request, body });
}

function requireValid(
  key: string | readonly string[],
  rawHeaders: readonly string[],
): asserts key is string {
  const max = limits.idempotencyKeyCharactersMax;
  const isOne = typeof key === "string" && !(key.includes(",") && isSentTwice(rawHeaders));
  if (isOne && key.length >= 1 && key.length <= max) return;
  throw new AppError("validation_failed", {
    message: "The Idempotency-Key is not valid.",
    errors: [{ field: "Idempotency-Key", message: `must be one value of 1 to ${max} characters` }],
  });
}

/** Node joins the values of a header that is sent twice, so two keys would look like a third. */
function isSentTwice(rawHeaders: readonly string[]): boolean {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return names.indexOf("idempotency-key") !== names.lastIndexOf("idempotency-key");
}
