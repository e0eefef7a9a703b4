// Turns any error into one readable line or one JSON object. Never shows a stack trace.

import { firstError, OperatorError } from "../../actions/operator/operator-error.ts";
import { ConfigError } from "../../settings/config.ts";
import { AppError } from "../../domain/error.ts";
import { FileError } from "../../files/file-error.ts";
import { advice } from "./advice.ts";

export interface ErrorView {
  readonly name: string;
  readonly message: string;
  readonly code?: number;
}

export function viewError(thrown: unknown): ErrorView {
  const error = firstError(thrown);
  if (error instanceof ConfigError) return { name: "settings", message: error.message };
  if (error instanceof FileError) return { name: "file", message: error.message };
  if (error instanceof OperatorError) return viewOperatorError(error);
  if (error instanceof AppError) {
    const detail = (error.errors ?? []).map(
      ({ field, message }) => ` ${field ?? ""} ${message ?? ""}.`,
    );
    return { name: error.errorName, message: error.message + detail.join(""), code: error.code };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    name: "internal",
    message: `Internal error: ${message}. Please report it, with the stack trace that LOG_LEVEL=debug prints.`,
  };
}

/** The advice is at the end of the first line. An error that another one caused has its advice. */
function viewOperatorError({ errorName: name, message, cause, context }: OperatorError): ErrorView {
  const inner =
    cause instanceof OperatorError ? advice[cause.errorName]?.(cause.context) : undefined;
  const advised = advice[name]?.(context) ?? inner;
  if (advised === undefined) return { name, message };
  return { name, message: message.replace(/\n|$/, (end) => ` ${advised}${end}`) };
}
