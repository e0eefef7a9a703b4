// Answers for paths and methods that no operation has: 404, or 405 with the methods that the path does have.

import type { FastifyInstance } from "fastify";
import { AppError } from "../domain/error.ts";
import { closestName } from "../domain/suggest.ts";
import type { Door } from "./door.ts";
import { sendError } from "./send-error.ts";

export function registerMissing(server: FastifyInstance, door: Door): void {
  const methods = methodsByPath(door);
  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    const allowed = methods.get(path);
    if (allowed === undefined) {
      sendError(door, request, { reply, error: noSuchOperation(path, [...methods.keys()]) });
      return;
    }
    const allow = allowed.join(", ");
    const error = new AppError("method_not_allowed", {
      message: `${request.method} is not allowed here; this path takes ${allow}.`,
    });
    sendError(door, request, { reply, error, headers: { allow } });
  });
  server.setErrorHandler((error, request, reply) => {
    sendError(door, request, { reply, error: asMalformed(error) });
  });
}

/** Fastify's own refusals that come before any handler: a path that can't be decoded, a broken content type. */
function asMalformed(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "FST_ERR_BAD_URL")
    return new AppError("malformed_http", { message: "The path is not valid." });
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return new AppError("content_type");
  return error;
}

function noSuchOperation(path: string, known: readonly string[]): AppError {
  const close = closestName(path, known);
  const hint = close === undefined ? "See /docs for all operations." : `Did you mean ${close}?`;
  return new AppError("no_such_operation", { message: `There is no such operation. ${hint}` });
}

function methodsByPath({ operations }: Door): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>();
  for (const path of ["/health/live", "/health/ready", "/metrics", "/openapi.json", "/docs"]) {
    methods.set(path, ["GET", "HEAD"]);
  }
  for (const { path, method } of operations) {
    const known = methods.get(path) ?? [];
    methods.set(path, [...known, ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
  }
  return methods;
}
