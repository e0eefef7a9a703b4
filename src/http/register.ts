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

export function registerOperations(
  server: FastifyInstance,
  door: Door,
  watch: RequestWatch<Visit>,
): void {
  for (const operation of door.operations) {
    const handler = makeHandler(door, {
      handler: handlers[operation.verb](door, operation),
      watch,
    });
    server.route({
      method: operation.method,
      url: operation.path,
      exposeHeadRoute: operation.method === "GET",
      onRequest: makeGate(door, { operation, scopes: scopesOf(operation), watch }),
      handler,
      // Fastify refuses a content type that it can't read before the handler could ask who calls; the handler refuses it
      // too, in its turn.
      errorHandler: (error, request, reply) => {
        if (isUnreadableContentType(error)) handler(request, reply);
        else sendError(door, request, { reply, error });
      },
    });
  }
}

function isUnreadableContentType(error: Error): boolean {
  return "code" in error && error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE";
}

interface Gate {
  readonly operation: Operation;
  readonly scopes: readonly Scope[];
  readonly watch: RequestWatch<Visit>;
}

type Done = (error?: Error) => void;

function makeGate(door: Door, { operation, scopes, watch }: Gate) {
  const isOpen = operation.permission === undefined;
  return (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    const visit: Visit = {
      operation,
      raw: request.raw,
      response: reply.raw,
      startedAt: performance.now(),
      caller: undefined,
      rate: undefined,
    };
    request.visit = visit;
    try {
      if (door.closing()) throw new AppError("unavailable", { retryAfterSeconds: 1 });
      if (!isOpen) {
        const pending = authenticate(door, request, { visit, scopes });
        if (pending !== undefined) {
          pending.then(
            () => admit(),
            (error: unknown) => sendError(door, request, { reply, error }),
          );
          return;
        }
      }
    } catch (error) {
      sendError(door, request, { reply, error });
      return;
    }
    admit();

    function admit(): void {
      watch.begin(visit);
      done();
    }
  };
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
  readonly handler: Handler;
  readonly watch: RequestWatch<Visit>;
}

function makeHandler(door: Door, work: Work) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    void answer(door, { request, reply }, work);
  };
}

/** Never rejects: what goes wrong is answered. */
async function answer(
  door: Door,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { handler, watch }: Work,
): Promise<void> {
  const { visit } = request;
  if (visit === undefined) throw new Error("a handler ran before its gate");
  try {
    const found = await handler({ request, reply, visit, caller: visit.caller ?? nobody });
    if (found !== undefined) door.replies.send(request, reply, found);
  } catch (error) {
    sendError(door, request, { reply, error });
  } finally {
    watch.end(visit);
  }
}
