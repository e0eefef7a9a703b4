// Reads the one identifier that a query has to hold.

import type { FastifyRequest } from "fastify";
import { AppError } from "../domain/error.ts";
import { validateIdentifier } from "../domain/validate.ts";

/** Throws AppError validation_failed when it is missing, given twice, or no identifier. */
export function queryIdentifier(request: FastifyRequest, name: string): string {
  const value = (request.query as Record<string, unknown>)[name];
  if (typeof value === "string" && validateIdentifier(name, value).length === 0) return value;
  const errors =
    value === undefined
      ? [{ field: name, message: `is required as a query parameter: ?${name}=…` }]
      : Array.isArray(value)
        ? [{ field: name, message: "must be given once" }]
        : validateIdentifier(name, value);
  throw new AppError("validation_failed", { message: `The query is not valid.`, errors });
}
