// The Prefer header (RFC 7240). Unknown preferences are ignored; of a repeated name the first counts.

import type { FastifyRequest } from "fastify";

/** Up to the next comma outside quotes. */
const preferences = /(?:[^",]|"(?:[^"\\]|\\.)*(?:"|$))+/g;
const handling = /^\s*handling\s*=\s*"?([a-z]+)"?\s*(?:;|$)/i;
const verdicts = /^\s*verdicts\s*=\s*"?([a-z]+)"?\s*(?:;|$)/i;

export function prefersLenient(request: FastifyRequest): boolean {
  return preferred(request, handling) === "lenient";
}

export function prefersSingleVerdicts(request: FastifyRequest): boolean {
  return preferred(request, verdicts) === "single";
}

function preferred(request: FastifyRequest, pattern: RegExp): string | undefined {
  const prefer = request.headers["prefer"];
  if (prefer === undefined) return undefined;
  const all = Array.isArray(prefer) ? prefer.join(",") : prefer;
  return (all.match(preferences) ?? [])
    .map((preference) => pattern.exec(preference)?.[1])
    .find((value) => value !== undefined)
    ?.toLowerCase();
}
