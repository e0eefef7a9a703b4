// Ties each row of the route table to the gate before it and the handler behind it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../actions/caller-cache.ts";
import { AppError } from "../domain/error.ts";
import type { Scope } from "../domain/scope.ts";
import { authenticate } from "./authenticate.ts";
import type { Door } from "./door.ts";
import { handlers } from "./handlers/handlers.ts";
import type { Handler } from "./handlers/handler.ts";
import { type Operation, scopesOf } from "./operation.ts";
import type { Visit } from "./reply.ts";
import type { RequestWatch } from "./request-watch.ts";
import { sendError } from "./send-error.ts";
import { requireSoundHead } from "./sound-head.ts";

export function registerOperations(
  server: FastifyInstance,
  door: Door,
  watch: RequestWatch<Visit>,
): void {
  for (const operation of door.operations) {
    const work: Work = {
      operation,
      isOpen: operation.permission === undefined,
      scopes: scopesOf(operation),
      handler: handlers[operation.verb](door, operation),
      watch,
    };
    server.route({
      method: operation.method,
      url: operation.path,
      exposeHeadRoute: operation.method === "GET",
      handler: (request, reply) => {
        void answer(door, { request, reply }, work);
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
  readonly watch: RequestWatch<Visit>;
}

/** The gate, then the handler, then the reply. Never rejects: what goes wrong is answered. */
async function answer(
  door: Door,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { operation, isOpen, scopes, handler, watch }: Work,
): Promise<void> {
  const visit: Visit = {
    operation,
    raw: request.raw,
    response: reply.raw,
    startedAt: performance.now(),
    caller: undefined,
    rate: undefined,
  };
  request.visit = visit;
  const ticket = watch.begin(visit);
  const { organizations } = door.load;
  let began: string | undefined;
  try {
    if (door.closing()) throw new AppError("unavailable", { retryAfterSeconds: 1 });
    requireSoundHead(request.raw);
    // Nothing to wait for when the caller is in memory, and nothing of the body is read before.
    const pending = isOpen ? undefined : authenticate(door, request, { visit, scopes });
    if (pending !== undefined) await pending;
    if (visit.caller !== undefined) {
      organizations.beginRequest(visit.caller.organizationId);
      began = visit.caller.organizationId;
    }
    const found = await handler({ request, reply, visit, caller: visit.caller ?? nobody });
    if (found !== undefined) door.replies.send(request, reply, found);
  } catch (error) {
    sendError(door, request, { reply, error });
  } finally {
    watch.end(ticket);
    if (began !== undefined) organizations.endRequest(began);
  }
}
