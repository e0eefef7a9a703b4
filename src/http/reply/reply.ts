// Sends every reply of the API: the headers that all replies have, the body, and the metrics of the request. Nothing
// else sends, so no reply lacks its X-Request-Id and every one is measured.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../../actions/access/caller-cache.ts";
import { isConfidential } from "../../domain/confidentiality.ts";
import type { AppError } from "../../domain/error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { Permission } from "../../domain/scope.ts";
import type { LargeReplies } from "../connection/large-replies.ts";
import type { ReplyMemory } from "../connection/reply-memory.ts";
import type { RateHeaders } from "../rate-limit/rate-limit.ts";

export interface RequestContext {
  readonly operation:
    | { readonly name: string; readonly permission?: Permission; readonly type?: RecordType }
    | undefined;
  /** Later if the request was delayed on purpose. */
  startedAt: number;
  caller: Identity | undefined;
  oauthErrorOf?: (error: AppError) => string;
}

declare module "fastify" {
  interface FastifyRequest {
    requestContext: RequestContext | undefined;
    /** What the reply says of a limit. */
    rate: RateHeaders | undefined;
  }
}

export function makeRequestContext(
  request: FastifyRequest,
  operation: RequestContext["operation"],
): RequestContext {
  const requestContext: RequestContext = {
    operation,
    startedAt: performance.now(),
    caller: undefined,
  };
  request.requestContext = requestContext;
  return requestContext;
}

/** What of the context sends replies. */
interface Sending {
  readonly observe: ObserveRequest;
  readonly sharedBounds: { readonly replies: ReplyMemory; readonly largeReplies: LargeReplies };
}

export type ObserveRequest = (operation: string, status: number, seconds: number) => void;

/** Counts a reply, but not on a confidential type: that would disclose that there are such records. */
export function observeReply(
  { observe }: Pick<Sending, "observe">,
  { operation, caller, startedAt }: RequestContext,
  status: number,
): void {
  if (operation?.type !== undefined && isConfidential(operation.type, caller)) return;
  observe(operation?.name ?? "other", status, (performance.now() - startedAt) / 1_000);
}

export interface Answer {
  readonly status: number;
  /** Undefined if the status has no body, like 304. */
  readonly body: string | Buffer | undefined;
  /** True if all replies share the bytes of the body. */
  readonly shared?: boolean;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonAnswer(status: number, body: object): Answer {
  return { status, body: JSON.stringify(body) };
}

/** The type has no charset (RFC 8259, section 11), and some generated clients fail if there is one. */
const json = "application/json";
/** Otherwise a cache may store a reply (RFC 9111, section 4.2.2): ids that are erased later, an outdated 404. */
export const notStored = "no-store";

/** What a handler gets of Fastify. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Writes to Node's response directly: Fastify's own sending is a third of the cost of a small reply. */
export function sendAnswer(
  context: Sending,
  { request, reply }: Exchange,
  { status, body, shared, contentType, headers }: Answer,
): void {
  const { requestContext, rate } = request;
  const { replies, largeReplies } = context.sharedBounds;
  const fields = ["x-request-id", request.id, "x-content-type-options", "nosniff"];
  const bytes = body === undefined ? 0 : Buffer.byteLength(body);
  if (body !== undefined)
    fields.push("content-type", contentType ?? json, "content-length", String(bytes));
  if (rate !== undefined) {
    fields.push("ratelimit", rate.rateLimit, "ratelimit-policy", rate.rateLimitPolicy);
  }
  if (headers?.["cache-control"] === undefined) fields.push("cache-control", notStored);
  for (const name in headers) fields.push(name, headers[name] ?? "");
  if (requestContext !== undefined) observeReply(context, requestContext, status);
  // Throws for a header with a character that HTTP does not allow, and the request can still be answered then.
  reply.raw.writeHead(status, fields);
  reply.hijack();
  // Node writes text that it need not encode faster.
  if (typeof body === "string" && body.length === bytes) reply.raw.end(body, "latin1");
  else if (shared === true && body instanceof Buffer) largeReplies.send(reply.raw, body);
  else reply.raw.end(body);
  if (shared !== true) replies.track(reply.raw, bytes);
}

/** Sends the head of a reply whose body its handler writes. */
export function sendHead(
  { request: { id, rate }, reply }: Exchange,
  status: number,
  headers: Readonly<Record<string, string>>,
): void {
  reply.raw.writeHead(status, {
    ...headers,
    "x-request-id": id,
    "x-content-type-options": "nosniff",
    ...(rate && { ratelimit: rate.rateLimit, "ratelimit-policy": rate.rateLimitPolicy }),
  });
  reply.hijack();
}
