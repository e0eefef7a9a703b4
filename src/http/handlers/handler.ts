// The shape of a handler: what it receives once a request is authenticated.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../../actions/caller-cache.ts";
import type { HttpContext } from "../http-context.ts";
import type { Operation } from "../operation.ts";
import type { Answer, RequestContext } from "../reply/reply.ts";

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly requestContext: RequestContext;
  /** Throws a fault of ours for operations that have no caller. */
  readonly caller: Identity;
}

/** Undefined when the handler sends by itself (streams). */
export type Handler = (call: Call) => Promise<Answer | undefined>;

/** Made once per operation at start, so that schemas and names are ready before the first request. */
export type HandlerMaker = (context: HttpContext, operation: Operation) => Handler;

export function ok(status: number, body: object): Answer {
  return { status, body: JSON.stringify(body) };
}
