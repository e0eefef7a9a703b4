// What goes wrong at the command line, and how any error becomes one readable line or one JSON object.
// Never shows the inside of a fault unless LOG_LEVEL asks for it.

import { OperatorError } from "../actions/operator-error.ts";
import { ConfigError } from "../config.ts";
import { AppError } from "../domain/error.ts";
import { FileError } from "../files/file-error.ts";

/** The command failed for a reason that its user can understand. */
export class CliError extends Error {
  /** For scripts, such as `store` or `server`. */
  readonly kind: string;

  constructor(kind: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CliError";
    this.kind = kind;
  }
}

/** The command line is wrong; exits with 2. */
export class UsageError extends CliError {
  constructor(message: string) {
    super("usage", message);
    this.name = "UsageError";
  }
}

export interface ErrorView {
  readonly name: string;
  readonly message: string;
  readonly code?: number;
}

export function viewError(error: unknown): ErrorView {
  if (error instanceof CliError) return { name: error.kind, message: error.message };
  if (error instanceof ConfigError) return { name: "settings", message: error.message };
  if (error instanceof FileError) return { name: "file", message: error.message };
  if (error instanceof OperatorError) return { name: error.errorName, message: error.message };
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
