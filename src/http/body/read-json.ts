// A small body in JSON, for operations that take one object: its value, and its bytes for the Idempotency-Key.

import type { FastifyRequest } from "fastify";
import { parseJson } from "./parse-json.ts";
import { mediaTypeOf, readSmallBody } from "./read-body.ts";

export interface JsonBody {
  readonly body: unknown;
  readonly bytes: Buffer;
}

/** Throws AppError content_type, too_large or malformed_json. */
export async function readJson({ raw }: FastifyRequest): Promise<JsonBody> {
  mediaTypeOf(raw, false);
  const bytes = await readSmallBody(raw);
  return { body: parseJson(bytes), bytes };
}
