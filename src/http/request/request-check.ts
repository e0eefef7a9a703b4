// Small bodies in JSON that are not records, checked by a schema that the OpenAPI document shows too. As in records, a
// null in an optional field is the same as leaving it out.

import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { ObjectSchema, SchemaShape } from "../../domain/schema/schema-shape.ts";
import { addedField, exactObject, optional, required } from "../../domain/schema/fields.ts";
import { explainErrors } from "../../domain/validation/explain.ts";
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { parseJson } from "../body/parse-json.ts";
import { mediaTypeOf, readSmallBody } from "../body/read-body.ts";

/** `required`: all if it is not given. */
export function closedObject(
  properties: Readonly<Record<string, SchemaShape>>,
  { required: names = Object.keys(properties), ...options }: SchemaShape = {},
): ObjectSchema {
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, names.includes(name) ? required(schema) : optional(schema)] as const,
  );
  return { ...exactObject(Object.fromEntries(fields), addedField), ...options };
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
export function jsonBody(schema: ObjectSchema, what: string, emptyAdvice = dropsBody) {
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
    return { body: withoutNulls(schema, body), bytes };
  };
}

/** Bodies are flat but for the lists and objects of required fields, in which no field is optional. */
function withoutNulls(schema: ObjectSchema, body: unknown): unknown {
  const isLeftOut = ([name, value]: readonly [string, unknown]) =>
    value === null && schema.required?.includes(name) !== true;
  return Object.fromEntries(Object.entries(body as object).filter((one) => !isLeftOut(one)));
}

const dropsBody = "Some proxies drop the body of a DELETE.";

function emptyBody(advice: string): AppError {
  return new AppError("malformed_json", { message: `The body is empty; send JSON. ${advice}` });
}

function hasBody({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const { "content-length": length = "0", "transfer-encoding": encoding } = headers;
  return encoding !== undefined || Number(length) > 0;
}
