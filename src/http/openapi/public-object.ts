// A public route as the document shows it.

import type { PublicDocument, PublicRoute } from "../public/public-route.ts";
import type { OperationObject } from "./document.ts";
import { errorRef } from "./error-object.ts";
import {
  type ErrorResponse,
  headersTooLarge,
  internalError,
  malformedRequest,
  rateLimitExceeded,
} from "./error-responses.ts";
import { type HeaderPart, headersOf, serviceTag } from "./parts.ts";

export function publicErrors(
  { limited }: PublicRoute,
  { errors = [] }: PublicDocument,
): readonly ErrorResponse[] {
  const usual = [malformedRequest, headersTooLarge, internalError];
  return [...usual, ...errors, ...(limited ? [rateLimitExceeded] : [])];
}

export function publicObject(route: PublicRoute, document: PublicDocument): OperationObject {
  const { operationId, summary, description, answers, contentType, schema, example, cached } =
    document;
  const examples =
    example === undefined ? {} : { examples: { reply: { summary: answers, value: example } } };
  const names: readonly HeaderPart[] = cached === true ? ["RequestId", "ETag"] : ["RequestId"];
  const headers = headersOf(...names);
  const unchanged = {
    description: "The client already has this content, according to `If-None-Match`.",
    headers,
  };
  const errors = publicErrors(route, document);
  return {
    operationId,
    tags: [serviceTag],
    summary,
    description,
    security: [],
    responses: {
      200: { description: answers, headers, content: { [contentType]: { schema, ...examples } } },
      ...(cached === true ? { 304: unchanged } : {}),
      ...Object.fromEntries(errors.map((response) => [response.status, errorRef(response)])),
    },
  };
}
