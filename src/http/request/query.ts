// Reads the one identifier that a query has to hold.

import type { FastifyRequest } from "fastify";
import { AppError } from "../../domain/error.ts";
import { validateIdentifier } from "../../domain/validation/validate.ts";

/** Throws AppError validation_failed when it is missing, given twice, not well encoded, or no identifier. */
export function queryIdentifier(request: FastifyRequest, name: string): string {
  if (request.url.includes("%")) requireDecodable(request.url);
  const value = (request.query as Record<string, unknown>)[name];
  if (typeof value === "string" && validateIdentifier(name, value).length === 0) return value;
  const errors =
    value === undefined
      ? [{ field: name, message: `is required as a query parameter: ?${name}=…` }]
      : Array.isArray(value)
        ? [{ field: name, message: "must be given once" }]
        : validateIdentifier(name, value);
  throw new AppError("validation_failed", { message: "The query is not valid.", errors });
}

/**
 * Where a query does not follow RFC 3986, section 2.1, or is not UTF-8 behind its percent signs, it would be looked up as
 * it stands, and two queries would ask for one record.
 */
function requireDecodable(url: string): void {
  for (const part of url.slice(url.indexOf("?") + 1).split("&")) {
    const [name = "", ...value] = part.split("=");
    if (isDecodable(name) && isDecodable(value.join("="))) continue;
    throw new AppError("validation_failed", {
      message: "The query is not valid.",
      errors: [
        {
          ...(isDecodable(name) ? { field: decodeURIComponent(name) } : {}),
          message: "must be percent-encoded UTF-8 (RFC 3986): send a percent sign itself as %25",
        },
      ],
    });
  }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
