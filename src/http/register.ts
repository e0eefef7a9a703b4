// Connects each row of the route table with its authentication and its handler.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../actions/access/caller-cache.ts";
import { unavailable } from "../domain/error.ts";
import type { Scope } from "../domain/scope.ts";
import { refuseAmbiguousRequest, refuseBodyOfGet } from "./connection/request-smuggling.ts";
import type { RequestWatch } from "./connection/request-watch.ts";
import type { HttpContext } from "./http-context.ts";
import { type Handler, type Operation, scopesOf } from "./operation.ts";
import { makeRequestContext, type RequestContext } from "./reply/reply.ts";
import { sendError } from "./reply/send-error.ts";
import { authenticate } from "./request/authenticate.ts";
import { operations } from "./routes.ts";

export function registerOperations(
  server: FastifyInstance,
  context: HttpContext,
  watch: RequestWatch<RequestContext>,
): void {
  for (const operation of operations) {
    const endpoint: Endpoint = {
      operation,
      scopes: scopesOf(operation),
      handler: operation.makeHandler(context, operation),
      watch,
    };
    server.route({
      method: operation.method,
      url: operation.path,
      exposeHeadRoute: operation.method === "GET",
      handler: makeRouteHandler(context, endpoint),
    });
  }
}

function makeRouteHandler(
  context: HttpContext,
  endpoint: Endpoint,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const { traceRequest } = context;
  const handle = (request: FastifyRequest, reply: FastifyReply): void => {
    void answer(context, { request, reply }, endpoint);
  };
  const { path, type } = endpoint.operation;
  // A trace would disclose that there are such records.
  if (traceRequest === undefined || type?.confidential === true) return handle;
  return (request, reply) => {
    traceRequest({ request, reply }, path, () => handle(request, reply));
  };
}

/** The caller of an operation that needs no permission: it has no organization and no scopes. */
const nobody: Identity = {
  organizationId: "",
  organizationName: "",
  keyId: "",
  expiresAt: 0,
  covered: new Set(),
  confidential: new Set(),
  rateLimitPerSecond: undefined,
  deletionGraceSeconds: 0,
};

interface Endpoint {
  readonly operation: Operation;
  readonly scopes: readonly Scope[];
  readonly handler: Handler;
  readonly watch: RequestWatch<RequestContext>;
}

/** Authentication, then the handler, then the reply. Never rejects: every error is answered. */
async function answer(
  context: HttpContext,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { operation, scopes, handler, watch }: Endpoint,
): Promise<void> {
  const requestContext = makeRequestContext(request, reply, operation);
  const ticket = watch.begin(requestContext);
  const { organizations } = context.load;
  let began: string | undefined;
  try {
    if (context.closing()) throw unavailable("closing", { retryAfterSeconds: 1 });
    refuseAmbiguousRequest(request.raw);
    if (operation.permission !== undefined) {
      // A caller in memory is not awaited. The body is not read before in either case.
      const pending = authenticate(context, request, { requestContext, scopes });
      if (pending !== undefined) await pending;
    }
    refuseBodyOfGet(request.raw);
    const { caller = nobody } = requestContext;
    if (caller !== nobody) {
      organizations.beginRequest(caller.organizationId);
      began = caller.organizationId;
    }
    const found = await handler({ request, reply, requestContext, caller });
    if (found !== undefined) context.replies.send(request, reply, found);
  } catch (error) {
    sendError(context, request, { reply, error });
  } finally {
    watch.end(ticket);
    if (began !== undefined) organizations.endRequest(began);
  }
}
