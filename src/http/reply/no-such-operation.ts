// The error for a path that has no operation, with the operation that was probably meant.

import { AppError } from "../../domain/error.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { closestName } from "../../domain/validation/suggest.ts";
import type { Operation } from "../operation.ts";

/** `known`: the paths that have operations, or are public. */
export function noSuchOperation(
  path: string,
  known: readonly string[],
  operations: readonly Operation[],
): AppError {
  const hint = idInPath(path, operations) ?? nearPath(path, known);
  return new AppError("no_such_operation", { message: `There is no such operation. ${hint}` });
}

function idInPath(path: string, operations: readonly Operation[]): string | undefined {
  if (path.endsWith("/")) return undefined;
  const parent = path.slice(0, path.lastIndexOf("/"));
  const meant = operations.find((one) => one.method === "GET" && one.path === parent);
  const name = meant?.document(meant, recordTypes).query?.name;
  return name && `The id is a query parameter: ${parent}?${name}=…`;
}

function nearPath(path: string, known: readonly string[]): string {
  const close = closestName(path, known);
  return close === undefined ? "See /docs for all operations." : `Did you mean ${close}?`;
}
