// An error as it is passed between threads: cloning an Error preserves only its text, so the other fields of an
// AppError are passed as plain data.

import { AppError } from "./error.ts";

type Fields = Pick<AppError, "kind" | "message" | "errors" | "retryAfterSeconds" | "cause">;

export type ErrorForm = Fields | Error;

export function describeError(error: unknown): ErrorForm {
  if (error instanceof AppError) {
    const { kind, message, errors, retryAfterSeconds, cause } = error;
    return { kind, message, errors, retryAfterSeconds, cause };
  }
  return error instanceof Error ? error : new Error(String(error));
}

export function restoreError(form: ErrorForm): Error {
  if (form instanceof Error) return form;
  const { kind, message, errors, retryAfterSeconds, cause } = form;
  return new AppError(kind, {
    message,
    cause,
    ...(errors === undefined ? {} : { errors }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
