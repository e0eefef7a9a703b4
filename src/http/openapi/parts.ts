// The headers, parameters, security schemes and tags that operations share.

import { limits } from "../../domain/limits.ts";
import type { HeaderObject, OwnHeader, ParameterObject, Reference } from "./document.ts";

const text = { type: "string" };

const headerParts = {
  RequestId: {
    header: "X-Request-Id",
    description:
      "Identifies this request in the log of the service; the client's own `X-Request-Id` if it is valid.",
    schema: text,
    example: "req_2f9c04d1ab7712",
  },
  RateLimit: {
    header: "RateLimit",
    description:
      "What is left of the limit that applies (draft-ietf-httpapi-ratelimit-headers): `r` requests now, and the whole limit " +
      "in `t` seconds, or one request in a 429. Lists, streams and other large requests count as several.",
    schema: text,
    example: '"organization";r=1999;t=1',
  },
  RateLimitPolicy: {
    header: "RateLimit-Policy",
    description: "The limit itself: `q` requests in a window of `w` seconds.",
    schema: text,
    example: '"organization";q=2000;w=2',
  },
  RetryAfter: {
    header: "Retry-After",
    description: "Seconds to wait before trying again.",
    schema: { type: "integer", format: "int32", minimum: 1 },
    example: 1,
  },
  Authenticate: {
    header: "WWW-Authenticate",
    description:
      "Which credential is expected, and what is wrong with the one that was sent (RFC 6750).",
    schema: text,
    example: 'Bearer realm="sluice"',
  },
  ETag: {
    header: "ETag",
    description:
      "Identifies this content in this encoding; a request with it as `If-None-Match` is 304 until the content changes.",
    schema: text,
    example: '"3q2-7wEBAgMEBQYHCAkKCw-gzip"',
  },
  PreferenceApplied: {
    header: "Preference-Applied",
    description: "The preferences that were applied (RFC 7240); only if one was sent.",
    schema: text,
    example: "handling=lenient",
  },
} as const satisfies Record<string, OwnHeader>;

/** The name of one that operations share, or one of an operation. */
export type HeaderPart = keyof typeof headerParts | OwnHeader;

export const headers: Readonly<Record<string, HeaderObject>> = Object.fromEntries(
  Object.entries(headerParts).map(([name, { header: _header, ...rest }]) => [name, rest]),
);

export function headersOf(
  ...parts: readonly HeaderPart[]
): Readonly<Record<string, Reference | HeaderObject>> {
  return Object.fromEntries(
    parts.map((part) => {
      if (typeof part === "string") {
        return [headerParts[part].header, { $ref: `#/components/headers/${part}` }];
      }
      const { header, ...own } = part;
      return [header, own];
    }),
  );
}

export const usualHeaders = ["RequestId", "RateLimit", "RateLimitPolicy"] as const;

/** Parameters have no examples, because the reference page and other tools would send them unasked. */
export const parameters = {
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      `The client's own name for this request: up to ${limits.requestIdCharactersMax} letters, digits and \`._:/+=@-\`. ` +
      "Any other value is replaced, not refused.",
    schema: text,
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Makes the request safe to repeat: for 24 hours the same request with the same key gets the first reply again. A " +
      "different request with it is 422, and one sent while the first is in flight is 409. Not for streams.",
    schema: { ...text, minLength: 1, maxLength: limits.idempotencyKeyCharactersMax },
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    required: false,
    description:
      "With `handling=lenient` each item of a list is accepted or refused by itself (RFC 7240). With `handling=lenient, " +
      "verdicts=single` it is also decided and answered as a request with only this item would be: an id that exists is " +
      "40901 or 40902 in any POST, a result has the `message` and `errors` of the single reply, its status is the code " +
      "divided by 100, and with an Idempotency-Key K the item at index 3 has the key K.3. Other preferences are ignored.",
    schema: text,
  },
} as const satisfies Record<string, ParameterObject>;

export function parameterRef(name: keyof typeof parameters): Reference {
  return { $ref: `#/components/parameters/${name}` };
}

export const securitySchemes = {
  ApiKey: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description:
      "The API key that the operator issued to the organization, as the whole value of the header. Only for requesting " +
      "access tokens.",
  },
  BearerToken: {
    type: "http",
    scheme: "bearer",
    description: "An access token, as `Authorization: Bearer <token>`.",
  },
} as const;

export const tokenTag = "Access token";
export const changeTag = "Changes";
export const deletionTag = "Deletion";
export const serviceTag = "Service";
