// What a public route is: a GET that needs no access token, with its entry in the OpenAPI document.

import type { FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";
import type { JsonSchema } from "../openapi/document.ts";
import type { ErrorResponse } from "../openapi/error-responses.ts";
import type { Answer } from "../reply/reply.ts";

export interface PublicOptions {
  readonly publicRoutes: readonly PublicRoute[];
  readonly metricsToken: string | undefined;
  readonly loadDocument: () => Promise<string>;
  readonly renderMetrics: () => Promise<{ text: string; contentType: string }>;
}

export type PublicHandler = (request: FastifyRequest) => Answer | Promise<Answer>;

export interface PublicRoute {
  readonly path: string;
  readonly limited: boolean;
  readonly document?: PublicDocument;
  readonly makeHandler: (context: HttpContext, options: PublicOptions) => PublicHandler;
}

export interface PublicDocument {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly answers: string;
  readonly contentType: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
  /** True if a client that already has the content is answered with 304. */
  readonly cached?: true;
  /** Errors in addition to those of every public route. */
  readonly errors?: readonly ErrorResponse[];
}
