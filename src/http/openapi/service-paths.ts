// The paths outside the API: health, metrics, and the document itself. They need no access token.

import type { HeaderPart } from "./parts.ts";
import { headersOf, parameterRef } from "./parts.ts";
import type {
  JsonSchema,
  OperationObject,
  PathItem,
  ResponseObject,
  Responses,
} from "./document.ts";
import { errorRef } from "./error-responses.ts";
import type { Wording } from "./wording.ts";

export const serviceTag = "Service";

interface ServiceOperation extends Wording {
  readonly operationId: string;
  readonly answers: string;
  readonly contentType: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
  /** True if a client that has the content already is answered with 304. */
  readonly cached?: true;
  readonly more?: Responses;
}

/** Requests without a credential are limited by their address, but for health checks. */
const limited = { 429: errorRef("RateLimited") };

const operations: Readonly<Record<string, ServiceOperation>> = {
  "/health/live": {
    operationId: "checkLive",
    summary: "Check if the process is alive",
    description: "Answers as long as the process runs; asks nothing of the store.",
    answers: "It is alive.",
    contentType: "application/json",
    schema: statusSchema("live"),
    example: { status: "live" },
  },
  "/health/ready": {
    operationId: "checkReady",
    summary: "Check if the service is ready",
    description: "Answers 200 if the store answers and the service is not shutting down.",
    answers: "It is ready.",
    contentType: "application/json",
    schema: statusSchema("ready"),
    example: { status: "ready" },
    more: { 503: errorRef("Unavailable") },
  },
  "/metrics": {
    operationId: "readMetrics",
    summary: "Read the metrics",
    description:
      "The figures of this process in the text format of Prometheus. Where the operator has set METRICS_TOKEN, send it as " +
      "`Authorization: Bearer <token>`.",
    answers: "The metrics.",
    contentType: "text/plain",
    schema: { type: "string" },
    example: 'sluice_records_written_total{resource_type="transaction"} 1024\n',
    more: { 401: errorRef("Unauthorized"), ...limited },
  },
  "/.well-known/sluice-receipts.json": {
    operationId: "readReceiptKeys",
    summary: "Read the public keys of receipts",
    description:
      "A JWK set (RFC 7517, RFC 8037) with every key that receipts of deletions are or were signed with. Keep a copy: with it, " +
      "`sluice receipt verify FILE --keys COPY` checks receipts offline.",
    answers: "The keys, oldest first.",
    contentType: "application/json",
    cached: true,
    more: limited,
    schema: {
      type: "object",
      required: ["store_id", "keys"],
      properties: {
        store_id: { type: "string", description: "Names the store whose receipts these are." },
        keys: {
          type: "array",
          items: {
            type: "object",
            required: ["kty", "crv", "alg", "use", "kid", "x", "created_at"],
            properties: {
              kty: { type: "string", enum: ["OKP"] },
              crv: { type: "string", enum: ["Ed25519"] },
              alg: { type: "string", enum: ["EdDSA"] },
              use: { type: "string", enum: ["sig"] },
              kid: { type: "string", description: "The key's thumbprint (RFC 7638)." },
              x: { type: "string", description: "The public key, base64url." },
              created_at: { type: "string", format: "date-time" },
              retired_at: { type: "string", format: "date-time" },
            },
          },
        },
      },
    },
    example: {
      store_id: "store_5d41402abc4b2a76b9719d91",
      keys: [
        {
          kty: "OKP",
          crv: "Ed25519",
          alg: "EdDSA",
          use: "sig",
          kid: "0oTeNmSRC3wCkN3FbDkUtMEzMz3bvRXcSJ2Y2SbyaG0",
          x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
          created_at: "2026-03-01T09:00:00.000Z",
        },
      ],
    },
  },
  "/openapi.json": {
    operationId: "readOpenApi",
    summary: "Read this document",
    description: "The OpenAPI 3.1 document of this service. `/docs` shows it as a page.",
    answers: "This document.",
    contentType: "application/json",
    cached: true,
    more: limited,
    schema: {
      type: "object",
      required: ["openapi", "info", "paths"],
      properties: {
        openapi: { type: "string" },
        info: { type: "object", additionalProperties: true },
        paths: { type: "object", additionalProperties: true },
      },
      additionalProperties: true,
    },
  },
};

export function servicePaths(): Record<string, PathItem> {
  return Object.fromEntries(
    Object.entries(operations).map(([path, operation]) => [
      path,
      { parameters: [parameterRef("RequestId")], get: operationObject(operation) },
    ]),
  );
}

function operationObject(operation: ServiceOperation): OperationObject {
  const { operationId, summary, description, answers, contentType, schema, example, cached, more } =
    operation;
  const examples =
    example === undefined ? {} : { examples: { reply: { summary: answers, value: example } } };
  const headers: HeaderPart[] = cached === true ? ["RequestId", "ETag"] : ["RequestId"];
  return {
    operationId,
    tags: [serviceTag],
    summary,
    description,
    security: [],
    responses: {
      200: {
        description: answers,
        headers: headersOf(...headers),
        content: { [contentType]: { schema, ...examples } },
      },
      ...(cached === true ? { 304: unchanged(headers) } : {}),
      400: errorRef("MalformedRequest"),
      431: errorRef("HeadersTooLarge"),
      500: errorRef("InternalError"),
      ...more,
    },
  };
}

function unchanged(headers: readonly HeaderPart[]): ResponseObject {
  return {
    description: "The client has this content already, as `If-None-Match` says.",
    headers: headersOf(...headers),
  };
}

function statusSchema(status: string): JsonSchema {
  return {
    type: "object",
    required: ["status"],
    properties: { status: { type: "string", enum: [status] } },
  };
}
