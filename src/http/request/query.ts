// Reads the identifier in a query.

import type { FastifyRequest } from "fastify";
import { AppError } from "../../domain/error.ts";
import { closestName } from "../../domain/validation/suggest.ts";
import { validateIdentifier } from "../../domain/validation/validate.ts";

/** Throws AppError validation_failed if it is missing, given twice, wrongly encoded, or not an identifier. */
export function queryIdentifier(request: FastifyRequest, name: string): string {
  requireDecodable(request);
  const value = (request.query as Record<string, unknown>)[name];
  const errors =
    value === undefined
      ? [{ field: name, message: `is required as ${parameterOf(request, name)}` }]
      : Array.isArray(value)
        ? [{ field: name, message: "must be given once" }]
        : validateIdentifier(name, value);
  if (typeof value === "string" && errors.length === 0) return value;
  throw new AppError("validation_failed", { message: "The query is not valid.", errors });
}

const comparedMax = 8;

/** What was probably sent in its place is named, too. */
function parameterOf({ query }: FastifyRequest, name: string): string {
  const sent = Object.keys(query as object).slice(0, comparedMax);
  const other = sent.find((one) => ids.has(one) || closestName(one, [name]) !== undefined);
  return `a query parameter: ?${name}=…${other === undefined ? "" : `, not ?${other}=…`}`;
}

const ids: ReadonlySet<string> = new Set(["id", "record_id", "resource_id"]);

/** Otherwise a query that can't be decoded would be used undecoded, and two queries would name one record. */
export function requireDecodable({ url }: FastifyRequest): void {
  if (!url.includes("%")) return;
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
