// Answers a request with an error. An error that is not an AppError is a mistake of the service: it is logged with the
// request id, answered as 50001, and never shown to the client.

import { closeSync, openSync } from "node:fs";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isConfidential } from "../../domain/confidentiality.ts";
import { AppError, unavailable } from "../../domain/error.ts";
import type { Logger } from "../../log.ts";
import type { HttpContext } from "../http-context.ts";
import { addressOwner } from "../rate-limit/address-owner.ts";
import { errorAnswer } from "./error-response.ts";
import { sendAnswer } from "./reply.ts";
import { readQualities } from "./representation.ts";

const unavailableLogMs = 10_000;

interface ErrorReply {
  readonly reply: FastifyReply;
  readonly error: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Replies at once, except to clients that keep sending beyond their rate limit, which wait for a moment (load.ts). */
export function sendError(
  context: HttpContext,
  request: FastifyRequest,
  errorReply: ErrorReply,
): void {
  const delayMs = findDelayMs(context, request, errorReply.error);
  if (delayMs === 0) sendNow(context, request, errorReply);
  else setTimeout(sendNow, delayMs, context, request, errorReply);
}

function findDelayMs({ load }: HttpContext, request: FastifyRequest, error: unknown): number {
  if (!(error instanceof AppError) || error.errorName !== "rate_limited") return 0;
  const caller = request.requestContext?.caller;
  return load.refusalDelayMs(caller?.organizationId ?? addressOwner(request.ip));
}

function sendNow(
  context: HttpContext,
  request: FastifyRequest,
  { reply, error, headers }: ErrorReply,
): void {
  if (reply.sent || reply.raw.destroyed) return;
  const appError = error instanceof AppError ? error : describeOwnError(error);
  if (appError.errorName === "internal") logError(context, request, error);
  else if (appError.errorName === "unavailable") logUnavailable(context, request, appError);
  const operation = request.requestContext?.operation;
  countMissingRight(context, request, appError);
  const answer = errorAnswer(appError, {
    problem: acceptsProblem(request.headers.accept),
    apiKeyExpected: operation !== undefined && operation.permission === undefined,
    oauthError: request.requestContext?.oauthErrorOf?.(appError),
    headers: { ...headers, ...closeAfter(request, appError) },
  });
  try {
    sendAnswer(context, { request, reply }, answer);
  } catch (failure) {
    // There is no other way to answer.
    logError(context, request, failure);
    reply.raw.destroy();
  }
}

/** A lack of files appears in many forms, such as a module that can't be loaded, or a thread that can't start. */
function describeOwnError(cause: unknown): AppError {
  return lacksFiles()
    ? unavailable("no_files", { retryAfterSeconds: 1, cause })
    : new AppError("internal");
}

/** A thread needs about six to start, and has closed them again when its failure is known. */
const threadFiles = 8;

function lacksFiles(): boolean {
  const files: number[] = [];
  try {
    while (files.length < threadFiles) files.push(openSync("/dev/null", "r"));
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && lackCodes.has(error.code);
  } finally {
    for (const file of files) closeSync(file);
  }
}

const lackCodes: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** Leaves out confidential types: not even the number of their requests may be known. */
function countMissingRight(
  { onRightRefused }: HttpContext,
  { requestContext }: FastifyRequest,
  { code }: AppError,
): void {
  const { operation, caller } = requestContext ?? {};
  if (operation === undefined || operation.name === "console") return;
  const isHidden = operation.type !== undefined && isConfidential(operation.type, caller);
  if (Math.floor(code / 100) === 403 && !isHidden) onRightRefused("api");
}

/** True if the type is listed with a quality above 0, and not below that of JSON (RFC 9110, section 12.5.1). */
function acceptsProblem(accept = ""): boolean {
  const qualities = readQualities(accept);
  const problem = qualities.get("application/problem+json") ?? 0;
  return problem > 0 && problem >= (qualities.get("application/json") ?? 0);
}

/** A large body that is refused unread also ends the connection: reading it to keep that is not worthwhile. */
function closeAfter({ headers, raw }: FastifyRequest, error: AppError): Record<string, string> {
  if (error.errorName === "malformed_http") return { connection: "close" };
  const isLong =
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 65_536;
  return isLong && !raw.complete ? { connection: "close" } : {};
}

/** When each reason was last logged. The reasons are a few fixed sentences. */
const unavailableLoggedAt = new WeakMap<Logger, Map<string, number>>();

/** While the store is unavailable or full, every request fails for the same reason. */
function logUnavailable({ log }: HttpContext, request: FastifyRequest, error: AppError): void {
  const { cause, message: why } = error;
  const logged = unavailableLoggedAt.get(log) ?? new Map<string, number>();
  unavailableLoggedAt.set(log, logged);
  const loggedAt = logged.get(why) ?? -Infinity;
  if (cause === undefined || performance.now() - loggedAt < unavailableLogMs) return;
  logged.set(why, performance.now());
  const operation = request.requestContext?.operation?.name ?? "other";
  log.warn(
    { err: cause, why, request_id: request.id, operation },
    "requests are answered with 503",
  );
}

function logError(context: HttpContext, request: FastifyRequest, error: unknown): void {
  const operation = request.requestContext?.operation?.name ?? "other";
  context.log.error({ err: error, request_id: request.id, operation }, "a request failed");
}
