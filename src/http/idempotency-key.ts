// The Idempotency-Key header: its form, and what it is tied to.

import type { FastifyRequest } from "fastify";
import { markRequest } from "../actions/idempotency.ts";
import { AppError } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";
import type { IdempotencyMark } from "../domain/record-write.ts";
import type { Operation } from "./operation.ts";

/** Undefined when the header was not sent. Throws AppError validation_failed for one that is too long or empty. */
export function idempotencyMark(
  request: FastifyRequest,
  {
    organizationId,
    operation,
    body,
  }: { organizationId: string; operation: Operation; body: Buffer },
): IdempotencyMark | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  requireForm(key);
  const manner = String(request.headers["prefer"] ?? "");
  const name = `${operation.method} ${operation.path}`;
  return markRequest(organizationId, { idempotencyKey: key, operation: name, manner, body });
}

function requireForm(key: string | readonly string[]): asserts key is string {
  const max = limits.idempotencyKeyCharactersMax;
  if (typeof key === "string" && key.length >= 1 && key.length <= max) return;
  throw new AppError("validation_failed", {
    message: "The Idempotency-Key is not valid.",
    errors: [{ field: "Idempotency-Key", message: `must be one value of 1 to ${max} characters` }],
  });
}
