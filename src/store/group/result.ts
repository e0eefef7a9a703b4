// The result of one job of a group. An error that the caller caused is a result; any other error fails the group.

import { AppError } from "../../domain/error.ts";

export type Result<Value> = Readonly<{ ok: true; value: Value } | { ok: false; error: AppError }>;

export function resultOf<Value>(work: () => Value): Result<Value> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, error };
    throw error;
  }
}

/** Throws an error that the caller caused. */
export function valueOf<Value>(result: Result<Value>): Value {
  if (!result.ok) throw result.error;
  return result.value;
}
