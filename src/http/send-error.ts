// Answers a request with an error, whoever threw it. A fault of ours is logged with its request id and shown to nobody.

import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../domain/error.ts";
import type { Door } from "./door.ts";
import { errorAnswer } from "./error-response.ts";
import { lingerOnClose } from "./linger.ts";

export function sendError(
  door: Door,
  request: FastifyRequest,
  {
    reply,
    error,
    headers,
  }: {
    reply: FastifyReply;
    error: unknown;
    headers?: Readonly<Record<string, string>>;
  },
): void {
  if (reply.sent || reply.raw.destroyed) return;
  const known = error instanceof AppError ? error : new AppError("internal");
  if (known !== error) logFault(door, request, error);
  const answer = errorAnswer(known, {
    problem: request.headers.accept?.includes("application/problem+json") ?? false,
    apiKeyExpected: request.visit?.operation?.verb === "issue token",
    headers: request.raw.complete ? headers : { ...headers, ...closeAfter(request) },
  });
  door.replies.send(request, reply, answer);
}

/** A body that was refused before it was read whole is not worth reading: the connection ends with the reply. */
function closeAfter({ headers, raw }: FastifyRequest): Record<string, string> {
  const hasBody =
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 65_536;
  if (!hasBody) return {};
  lingerOnClose(raw.socket);
  return { connection: "close" };
}

function logFault(door: Door, request: FastifyRequest, error: unknown): void {
  const operation = request.visit?.operation?.name ?? "other";
  door.log.error({ err: error, request_id: request.id, operation }, "a request failed");
}
