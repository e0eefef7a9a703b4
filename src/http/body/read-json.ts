// A small body in JSON, for operations that take one object: its value, and its bytes for the Idempotency-Key.

import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../domain/error.ts";
import { parseJson } from "./parse-json.ts";
import { mediaTypeOf, readSmallBody } from "./read-body.ts";

export interface JsonBody {
  readonly body: unknown;
  readonly bytes: Buffer;
}

/** Throws AppError content_type, too_large or malformed_json. */
export async function readJson({ raw }: FastifyRequest): Promise<JsonBody> {
  if (raw.method === "DELETE" && !hasBody(raw)) {
    throw new AppError("malformed_json", {
      message: "The body is empty; send JSON. Some proxies drop the body of a DELETE.",
    });
  }
  mediaTypeOf(raw, false);
  const bytes = await readSmallBody(raw);
  return { body: parseJson(bytes), bytes };
}

export function hasBody({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const { "content-length": length = "0", "transfer-encoding": encoding } = headers;
  return encoding !== undefined || Number(length) > 0;
}
