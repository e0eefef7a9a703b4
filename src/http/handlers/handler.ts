// The shape of a handler: what it gets once the gate has let a request through.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../../actions/caller-cache.ts";
import type { Door } from "../door.ts";
import type { Operation } from "../operation.ts";
import type { Answer, Visit } from "../reply.ts";

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly visit: Visit;
  /** Throws a fault of ours for operations that have no caller. */
  readonly caller: Identity;
}

/** Undefined when the handler sends by itself (streams). */
export type Handler = (call: Call) => Promise<Answer | undefined>;

/** Made once per operation at start, so that schemas and names are ready before the first request. */
export type HandlerMaker = (door: Door, operation: Operation) => Handler;

export function ok(status: number, body: object): Answer {
  return { status, body: JSON.stringify(body) };
}
