// The routes that need no access token, as a table, and how they are served.

import type { FastifyInstance } from "fastify";
import { refuseAmbiguousRequest, refuseBodyOfGet } from "./connection/request-smuggling.ts";
import type { HttpContext } from "./http-context.ts";
import { liveRoute, readyRoute } from "./public/health.ts";
import { metricsRoute } from "./public/metrics-route.ts";
import {
  documentRoute,
  pageRoute,
  pageScriptRoute,
  startScriptRoute,
} from "./public/openapi-routes.ts";
import type { PublicOptions, PublicRoute } from "./public/public-route.ts";
import { receiptKeysRoute } from "./public/well-known.ts";
import { limitUnauthenticated } from "./rate-limit/enforce-limit.ts";
import { sendAnswer } from "./reply/reply.ts";
import { sendError } from "./reply/send-error.ts";

/** Those of the core. */
export const publicRoutes: readonly PublicRoute[] = [
  liveRoute,
  readyRoute,
  metricsRoute,
  receiptKeysRoute,
  documentRoute,
  pageRoute,
  startScriptRoute,
  pageScriptRoute,
];

export function registerPublicRoutes(
  server: FastifyInstance,
  context: HttpContext,
  options: PublicOptions,
): void {
  for (const { path, limited, makeHandler } of options.publicRoutes) {
    const handler = makeHandler(context, options);
    server.get(path, async (request, reply) => {
      try {
        refuseAmbiguousRequest(request.raw);
        refuseBodyOfGet(request.raw);
        if (limited) limitUnauthenticated(context, request);
        sendAnswer(context, { request, reply }, await handler(request));
      } catch (error) {
        sendError(context, request, { reply, error });
      }
      return reply;
    });
  }
}
