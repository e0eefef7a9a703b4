// Makes a reply from an AppError: the status, the body Error, and its form as problem+json (RFC 9457).

import { http } from "../../basics/node-http.ts";
import { type AppError, type FieldError, statusOf } from "../../domain/error.ts";
import type { Answer } from "./reply.ts";

export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly errors?: readonly FieldError[];
  readonly error?: string;
  readonly error_description?: string;
}

export interface ErrorContext {
  readonly problem: boolean;
  /** True for token issuing, which has its own scheme in WWW-Authenticate. */
  readonly apiKeyExpected: boolean;
  readonly oauthError?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function errorBody({ code, message, errors }: AppError): ErrorBody {
  return errors === undefined || errors.length === 0
    ? { code, message }
    : { code, message, errors };
}

export function errorAnswer(error: AppError, context: ErrorContext): Answer {
  const status = statusOf(error);
  const { oauthError } = context;
  const body: ErrorBody = {
    ...errorBody(error),
    ...(oauthError !== undefined && {
      error: oauthError,
      error_description: error.message.replaceAll(/["\\]/g, "'").replaceAll(/[^ -~]/g, "?"),
    }),
  };
  const headers = {
    ...authenticateHeader(error, context),
    ...retryHeader(error),
    ...context.headers,
  };
  if (!context.problem) return { status, body: JSON.stringify(body), headers };
  const title = http.STATUS_CODES[status] ?? "Error";
  const problem = {
    type: `urn:sluice:error:${error.code}`,
    title,
    status,
    detail: body.message,
    // Extension members (RFC 9457, section 3.2), so that code that reads an Error can read this too.
    ...body,
  };
  return {
    status,
    body: JSON.stringify(problem),
    contentType: "application/problem+json",
    headers,
  };
}

/** No error code if no credential was sent (RFC 6750, section 3). */
function authenticateHeader(
  error: AppError,
  { apiKeyExpected }: ErrorContext,
): Record<string, string> {
  const status = statusOf(error);
  if (status === 401 && apiKeyExpected) return { "www-authenticate": 'ApiKey realm="sluice"' };
  if (error.errorName === "credential_missing") {
    return { "www-authenticate": 'Bearer realm="sluice"' };
  }
  if (status === 401) return { "www-authenticate": bearerError("invalid_token", error.message) };
  if (error.errorName !== "insufficient_scope" || apiKeyExpected) return {};
  return { "www-authenticate": bearerError("insufficient_scope", error.message) };
}

function bearerError(error: string, description: string): string {
  return `Bearer realm="sluice", error="${error}", error_description="${description}"`;
}

function retryHeader({ retryAfterSeconds }: AppError): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
}
