// What an operation is: a verb, which one file of verb/ describes as a whole, at a path of the route table. The
// server, the OpenAPI document and the tests are made from it.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../actions/access/caller-cache.ts";
import type { RecordType } from "../domain/record-type.ts";
import { allScopes, type Permission, type Scope } from "../domain/scope.ts";
import type { HttpContext } from "./http-context.ts";
import type { Content } from "./openapi/content.ts";
import type { ParameterObject } from "./openapi/document.ts";
import type { ErrorResponse } from "./openapi/error-responses.ts";
import type { Answer, RequestContext } from "./reply/reply.ts";

/** one: an object; list: a list; either: both. Lists may also be sent as a stream (application/x-ndjson). */
export type BodyForm = "none" | "one" | "list" | "either";

/** Everything about an operation except its path and its record type. */
export interface Verb {
  /** Unique among the verbs, e.g. `check record`. */
  readonly verb: string;
  /** Undefined where the operation identifies its caller itself, by an API key. */
  readonly permission?: Permission;
  /** A scope that does not belong to a family of records. */
  readonly scope?: Scope;
  readonly body: BodyForm;
  readonly success: 200 | 201;
  /** Errors in addition to the usual ones (error-responses.ts); one with the same status replaces a usual one. */
  readonly errors: readonly ErrorResponse[];
  /** `types`: the record types of the service. */
  readonly document: (operation: Operation, types: readonly RecordType[]) => OperationDocument;
  /** Called once per operation at start, so that schemas and names are ready before the first request. */
  readonly makeHandler: (context: HttpContext, operation: Operation) => Handler;
}

/** A row of the route table. */
export interface Operation extends Verb {
  /** Unique; the operationId of the OpenAPI document and the label of metrics. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly type?: RecordType;
}

/** True for an existence check, whose 404 is an answer and not a refusal. */
export function isExistenceCheck({ verb }: { readonly verb?: string }): boolean {
  return verb === "check record";
}

/** The only query parameter of an operation, an identifier. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly example: string;
}

/** What the OpenAPI document says about an operation, except what follows from its row. */
export interface OperationDocument {
  /** Undefined for an operation of a record type, which has the tag of the type. */
  readonly tag?: string;
  readonly summary: string;
  readonly description: string;
  readonly query?: QueryParameter;
  /** All parameters, instead of one that identifies something. */
  readonly parameters?: readonly ParameterObject[];
  readonly request?: Content;
  readonly reply: Content;
  /** Replies without a body besides the usual one, by their status. */
  readonly empty?: Readonly<Record<number, Omit<Content, "content" | "schemas">>>;
}

/** A request that is authenticated and may proceed. */
export interface HandlerInput {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly requestContext: RequestContext;
  /** Without organization and scopes if the operation has no permission. */
  readonly caller: Identity;
}

/** Resolves to undefined if the handler has sent the reply itself, as that of a stream does. */
export type Handler = (input: HandlerInput) => Promise<Answer | undefined>;

/** The record type of an operation on a type; its absence is a mistake in the route table. */
export function requireType({ name, type }: Operation): RecordType {
  if (type === undefined) throw new Error(`the operation ${name} has no record type`);
  return type;
}

/**
 * The scopes of which the caller needs one. An operation on a type requires the scope of its family. An operation that
 * learns the type from its body or from the store requires any scope of that permission, and its handler the right one.
 */
export function scopesOf({ type, permission, scope: own }: Operation): readonly Scope[] {
  if (permission === undefined) return [];
  if (own !== undefined) return [own];
  const wanted = type === undefined ? `:${permission}` : `${type.family}:${permission}`;
  return allScopes.filter(
    (scope) => scope.endsWith(wanted) && (type === undefined || scope === wanted),
  );
}
