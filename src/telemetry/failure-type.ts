// The attribute error.type: a name from the code for the failure, never the text of an error.

import { AppError } from "../domain/error.ts";

export function failureType(error: unknown): string {
  if (error instanceof AppError) return error.errorName;
  if (!(error instanceof Error)) return "_OTHER";
  const code: unknown = "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[\w-]{1,40}$/.test(code) ? code : error.constructor.name;
}
