// Small bodies in JSON that are not records, checked by a schema that the OpenAPI document shows too.

import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { ObjectSchema, SchemaShape } from "../../domain/schema/schema-shape.ts";
import { explainErrors } from "../../domain/validation/explain.ts";
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { parseJson } from "../body/parse-json.ts";
import { mediaTypeOf, readSmallBody } from "../body/read-body.ts";

export function closedObject(
  properties: Readonly<Record<string, SchemaShape>>,
  options: SchemaShape = {},
): ObjectSchema {
  const required = Object.keys(properties);
  return { type: "object", required, properties, additionalProperties: false, ...options };
}

function requireValid(schema: SchemaShape, value: unknown, what: string): void {
  const all = explainErrors(schema, value, { what });
  if (all.length === 0) return;
  const errors = all.slice(0, limits.fieldErrorsMax);
  const isCut = errors.length < all.length;
  const more = isCut ? ` The first ${errors.length} errors are listed; there are more.` : "";
  throw new AppError("validation_failed", { message: `The ${what} is not valid.${more}`, errors });
}

/** It throws AppError content_type, too_large, malformed_json or validation_failed. */
export function jsonBody(schema: SchemaShape, what: string, emptyAdvice = dropsBody) {
  return async ({ raw }: FastifyRequest): Promise<{ body: unknown; bytes: Buffer }> => {
    const isDelete = raw.method === "DELETE";
    if (isDelete && !hasBody(raw)) throw emptyBody(emptyAdvice);
    const mayBeEmpty = isDelete && raw.headers["transfer-encoding"] !== undefined;
    if (!mayBeEmpty) mediaTypeOf(raw, false);
    const bytes = await readSmallBody(raw);
    if (mayBeEmpty && bytes.length === 0) throw emptyBody(emptyAdvice);
    if (mayBeEmpty) mediaTypeOf(raw, false);
    const body = parseJson(bytes);
    requireValid(schema, body, what);
    return { body, bytes };
  };
}

const dropsBody = "Some proxies drop the body of a DELETE.";

function emptyBody(advice: string): AppError {
  return new AppError("malformed_json", { message: `The body is empty; send JSON. ${advice}` });
}

function hasBody({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const { "content-length": length = "0", "transfer-encoding": encoding } = headers;
  return encoding !== undefined || Number(length) > 0;
}
