// What an operation is: a verb at a path. The server, the OpenAPI document and the tests are made from it.

import type { IncomingMessage } from "node:http";
import type { Identity } from "../actions/access/caller-cache.ts";
import type { RecordType } from "../domain/record-type.ts";
import { allScopes, type Permission, type Scope } from "../domain/scope.ts";
import type { HttpContext } from "./http-context.ts";
import type { BodyForm } from "./body/list-form.ts";
import type { Content } from "./openapi/content.ts";
import type { JsonSchema, ParameterObject } from "./openapi/document.ts";
import type { ErrorResponse } from "./openapi/error-responses.ts";
import type { Answer, Exchange, RequestContext } from "./reply/reply.ts";

export interface Verb {
  readonly verb: string;
  /** Undefined where the operation identifies its caller itself, by an API key. */
  readonly permission?: Permission;
  readonly scope?: Scope;
  readonly body: BodyForm;
  readonly success: 200 | 201;
  /** Errors in addition to the usual ones (error-responses.ts); one with the same status replaces a usual one. */
  readonly errors: readonly ErrorResponse[];
  readonly document: (operation: Operation, types: readonly RecordType[]) => OperationDocument;
  readonly makeHandler: (context: HttpContext, operation: Operation) => Handler;
}

export interface Operation extends Verb {
  /** Unique; the operationId of the OpenAPI document and the label of metrics. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly type?: RecordType;
}

export function isExistenceCheck({ verb }: { readonly verb?: string }): boolean {
  return verb === "check record";
}

export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly example: string;
}

export interface OperationDocument {
  /** Undefined for an operation of a record type, which has the tag of the type. */
  readonly tag?: string;
  readonly summary: string;
  readonly description: string;
  readonly query?: QueryParameter;
  readonly parameters?: readonly ParameterObject[];
  readonly request?: Content;
  readonly reply: Content;
  readonly empty?: Readonly<Record<number, Omit<Content, "content" | "schemas">>>;
}

/** Another way to get an access token than with an API key. */
export interface Grant {
  readonly takes: (request: IncomingMessage) => boolean;
  readonly makeHandler: (context: HttpContext) => Handler;
  /** What the document says of it, and of what its reply has in addition. */
  readonly description: string;
  readonly reply: Readonly<Record<string, JsonSchema>>;
}

export interface HandlerInput extends Exchange {
  readonly requestContext: RequestContext;
  readonly caller: Identity;
}

/** Resolves to undefined if the handler has sent the reply itself, as that of a stream does. */
export type Handler = (input: HandlerInput) => Promise<Answer | undefined>;

export function requireType({ name, type }: Operation): RecordType {
  if (type === undefined) throw new Error(`the operation ${name} has no record type`);
  return type;
}

/** The caller needs one of them. Without a type it is any of that permission, and the handler checks the right one. */
export function scopesOf({ type, permission, scope: own }: Operation): readonly Scope[] {
  if (permission === undefined) return [];
  if (own !== undefined) return [own];
  const wanted = type === undefined ? `:${permission}` : `${type.family}:${permission}`;
  return allScopes.filter(
    (scope) => scope.endsWith(wanted) && (type === undefined || scope === wanted),
  );
}
