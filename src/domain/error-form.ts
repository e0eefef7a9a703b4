// An error in the form in which it goes from one thread to another: cloning an Error keeps only its text, so what AppError
// says beyond that goes as plain data.

import { AppError } from "./error.ts";

export type ErrorForm =
  Pick<AppError, "errorName" | "message" | "errors" | "retryAfterSeconds" | "cause"> | Error;

export function describeError(error: unknown): ErrorForm {
  if (error instanceof AppError) {
    const { errorName, message, errors, retryAfterSeconds, cause } = error;
    return { errorName, message, errors, retryAfterSeconds, cause };
  }
  return error instanceof Error ? error : new Error(String(error));
}

export function restoreError(form: ErrorForm): Error {
  if (form instanceof Error) return form;
  const { errorName, message, errors, retryAfterSeconds, cause } = form;
  return new AppError(errorName, {
    message,
    cause,
    ...(errors === undefined ? {} : { errors }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
