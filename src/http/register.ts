// Ties each row of the route table to its authentication and its handler.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../actions/caller-cache.ts";
import { AppError } from "../domain/error.ts";
import type { Scope } from "../domain/scope.ts";
import { authenticate } from "./request/authenticate.ts";
import type { HttpContext } from "./http-context.ts";
import { type Handler, type Operation, scopesOf } from "./operation.ts";
import type { RequestContext } from "./reply/reply.ts";
import type { RequestWatch } from "./connection/request-watch.ts";
import { sendError } from "./reply/send-error.ts";
import { rejectAmbiguousRequest } from "./connection/request-smuggling.ts";
import { operations } from "./routes.ts";

export function registerOperations(
  server: FastifyInstance,
  context: HttpContext,
  watch: RequestWatch<RequestContext>,
): void {
  for (const operation of operations) {
    const work: Work = {
      operation,
      isOpen: operation.permission === undefined,
      scopes: scopesOf(operation),
      handler: operation.makeHandler(context, operation),
      watch,
    };
    server.route({
      method: operation.method,
      url: operation.path,
      exposeHeadRoute: operation.method === "GET",
      handler: (request, reply) => {
        void answer(context, { request, reply }, work);
      },
    });
  }
}

/** Stands in where an operation has no caller; it is in no organization and covers nothing. */
const nobody: Identity = {
  organizationId: "",
  organizationName: "",
  keyId: "",
  expiresAt: 0,
  covered: new Set(),
  rateLimitPerSecond: undefined,
  deletionGraceSeconds: 0,
};

interface Work {
  readonly operation: Operation;
  /** True for token issuing, which identifies its caller by itself. */
  readonly isOpen: boolean;
  readonly scopes: readonly Scope[];
  readonly handler: Handler;
  readonly watch: RequestWatch<RequestContext>;
}

/** Authentication, then the handler, then the reply. Never rejects: what goes wrong is answered. */
async function answer(
  context: HttpContext,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { operation, isOpen, scopes, handler, watch }: Work,
): Promise<void> {
  const requestContext: RequestContext = {
    operation,
    raw: request.raw,
    response: reply.raw,
    startedAt: performance.now(),
    caller: undefined,
    rate: undefined,
  };
  request.requestContext = requestContext;
  const ticket = watch.begin(requestContext);
  const { organizations } = context.load;
  let began: string | undefined;
  try {
    if (context.closing()) throw new AppError("unavailable", { retryAfterSeconds: 1 });
    rejectAmbiguousRequest(request.raw);
    // Nothing to wait for when the caller is in memory, and nothing of the body is read before.
    const pending = isOpen ? undefined : authenticate(context, request, { requestContext, scopes });
    if (pending !== undefined) await pending;
    if (requestContext.caller !== undefined) {
      organizations.beginRequest(requestContext.caller.organizationId);
      began = requestContext.caller.organizationId;
    }
    const found = await handler({
      request,
      reply,
      requestContext,
      caller: requestContext.caller ?? nobody,
    });
    if (found !== undefined) context.replies.send(request, reply, found);
  } catch (error) {
    sendError(context, request, { reply, error });
  } finally {
    watch.end(ticket);
    if (began !== undefined) organizations.endRequest(began);
  }
}
