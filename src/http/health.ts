// What operators' machines ask: is the process alive, does the store answer, what are the figures.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../domain/error.ts";
import type { Door } from "./door.ts";
import { ok } from "./handlers/handler.ts";
import { sendError } from "./send-error.ts";

export function registerHealth(
  server: FastifyInstance,
  door: Door,
  renderMetrics: () => Promise<{ text: string; contentType: string }>,
): void {
  server.get("/health/live", (request, reply) => {
    door.replies.send(request, reply, ok(200, { status: "live" }));
  });
  server.get("/health/ready", async (request, reply) => {
    await answerReady(door, request, reply);
    return reply;
  });
  server.get("/metrics", async (request, reply) => {
    const { text, contentType } = await renderMetrics();
    door.replies.send(request, reply, { status: 200, body: text, contentType });
  });
}

async function answerReady(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (door.draining()) {
    // Expected at every stop, and asked for many times: nothing to log.
    const error = new AppError("unavailable", { retryAfterSeconds: 1 });
    sendError(door, request, { reply, error });
    return;
  }
  try {
    await door.app.store.ping();
    door.replies.send(request, reply, ok(200, { status: "ready" }));
  } catch (cause) {
    door.log.warn({ err: cause }, "not ready");
    const error = new AppError("unavailable", { retryAfterSeconds: 1, cause });
    sendError(door, request, { reply, error });
  }
}
