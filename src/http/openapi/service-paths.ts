// The paths outside the API: health, metrics, and the document itself. They ask for no credential.

import type { HeaderPart } from "./parts.ts";
import { headersOf, parameterRef } from "./parts.ts";
import type { JsonSchema, OperationObject, PathItem, Responses } from "./document.ts";
import { errorRef } from "./error-responses.ts";
import type { Wording } from "./wording.ts";

export const serviceTag = "Service";

interface ServiceOperation extends Wording {
  readonly operationId: string;
  readonly answers: string;
  readonly contentType: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly more?: Responses;
}

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
    description: "The figures of this process in the text format of Prometheus.",
    answers: "The metrics.",
    contentType: "text/plain",
    schema: { type: "string" },
    example: 'sluice_records_written_total{resource_type="transaction"} 1024\n',
  },
  "/openapi.json": {
    operationId: "readOpenApi",
    summary: "Read this document",
    description: "The OpenAPI 3.1 document of this service. `/docs` shows it as a page.",
    answers: "This document.",
    contentType: "application/json",
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
  const { operationId, summary, description, answers, contentType, schema, example, more } =
    operation;
  const examples =
    example === undefined ? {} : { examples: { reply: { summary: answers, value: example } } };
  const headers: HeaderPart[] = ["RequestId"];
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
      431: errorRef("HeadersTooLarge"),
      500: errorRef("InternalError"),
      ...more,
    },
  };
}

function statusSchema(status: string): JsonSchema {
  return {
    type: "object",
    required: ["status"],
    properties: { status: { type: "string", enum: [status] } },
  };
}
