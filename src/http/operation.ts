// What an operation is: the row of the route table from which the server, the OpenAPI document and the tests are made.

import type { RecordType } from "../domain/record-type.ts";
import { allScopes, type Permission, type Scope } from "../domain/scope.ts";

export type Verb =
  | "issue token"
  | "check record"
  | "add records"
  | "append records"
  | "update records"
  | "request deletion"
  | "request deletion by type"
  | "read deletion";

/** one: an object; list: a list; either: both. Lists may also come as a stream (application/x-ndjson). */
export type BodyForm = "none" | "one" | "list" | "either";

export interface Operation {
  /** Unique; the operationId of the OpenAPI document and the label of metrics. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly verb: Verb;
  readonly body: BodyForm;
  readonly type?: RecordType;
  readonly permission?: Permission;
  readonly success: 200 | 201;
  /** Beyond those that every operation has: 400, 401, 403, 429, 500 and 503. */
  readonly errors: readonly number[];
}

/**
 * Scopes of which the caller needs one. An operation on a type asks for its family's; one that learns the type from
 * its body or from the store asks for any scope of that permission, and the handler for the right one.
 */
export function scopesOf({ type, permission }: Operation): readonly Scope[] {
  if (permission === undefined) return [];
  const wanted = type === undefined ? `:${permission}` : `${type.family}:${permission}`;
  return allScopes.filter(
    (scope) => scope.endsWith(wanted) && (type === undefined || scope === wanted),
  );
}
