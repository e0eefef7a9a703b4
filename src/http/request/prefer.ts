// The Prefer header (RFC 7240): with `handling=lenient` each item of a list is accepted or refused by itself.

import type { FastifyRequest } from "fastify";

/** Unknown preferences and values are ignored, as RFC 7240, section 2 requires. */
export function prefersLenient(request: FastifyRequest): boolean {
  const prefer = request.headers["prefer"];
  if (prefer === undefined) return false;
  const all = Array.isArray(prefer) ? prefer.join(",") : prefer;
  const handling = all
    .split(",")
    .map((preference) => /^\s*handling\s*=\s*"?([a-z]+)"?\s*(?:;|$)/i.exec(preference)?.[1])
    .find((value) => value !== undefined);
  return handling?.toLowerCase() === "lenient";
}
