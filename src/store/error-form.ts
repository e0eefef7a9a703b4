// An error in the form in which it goes from one thread to another. Cloning keeps only the text of an Error, so what
// AppError and StoreError say beyond that goes as plain data.

import { AppError } from "../domain/error.ts";
import { StoreError } from "./store-error.ts";

export type ErrorForm =
  | Pick<AppError, "errorName" | "message" | "errors" | "retryAfterSeconds">
  | { readonly storeMessage: string; readonly cause: unknown }
  | Error;

export function describeError(error: unknown): ErrorForm {
  if (error instanceof AppError) {
    const { errorName, message, errors, retryAfterSeconds } = error;
    return { errorName, message, errors, retryAfterSeconds };
  }
  if (error instanceof StoreError) return { storeMessage: error.message, cause: error.cause };
  return error instanceof Error ? error : new Error(String(error));
}

export function restoreError(form: ErrorForm): Error {
  if (form instanceof Error) return form;
  if ("storeMessage" in form) return new StoreError(form.storeMessage, { cause: form.cause });
  const { errorName, message, errors, retryAfterSeconds } = form;
  return new AppError(errorName, {
    message,
    ...(errors === undefined ? {} : { errors }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
