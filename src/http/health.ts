// What probes ask: is the process alive, does the store answer. Counts against no limit, so that probes are answered
// whatever else comes from their address; those that come at the same time share one question to the store.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../domain/error.ts";
import { coalesce } from "./coalesce.ts";
import type { Door } from "./door.ts";
import { ok } from "./handlers/handler.ts";
import { sendError } from "./send-error.ts";

export function registerHealth(server: FastifyInstance, door: Door): void {
  const ping = coalesce(() => door.app.store.ping());
  server.get("/health/live", (request, reply) => {
    door.replies.send(request, reply, ok(200, { status: "live" }));
  });
  server.get("/health/ready", async (request, reply) => {
    await answerReady(door, { request, reply }, ping);
    return reply;
  });
}

async function answerReady(
  door: Door,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  ping: () => Promise<void>,
): Promise<void> {
  if (door.draining()) {
    // Expected at every stop, and asked for many times: nothing to log.
    const error = new AppError("unavailable", { retryAfterSeconds: 1 });
    sendError(door, request, { reply, error });
    return;
  }
  try {
    await ping();
    door.replies.send(request, reply, ok(200, { status: "ready" }));
  } catch (cause) {
    door.log.warn({ err: cause }, "not ready");
    const error = new AppError("unavailable", { retryAfterSeconds: 1, cause });
    sendError(door, request, { reply, error });
  }
}
