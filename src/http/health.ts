// What operators' machines ask: is the process alive, can it take requests, what are the figures.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../domain/error.ts";
import type { Door } from "./door.ts";
import { ok } from "./handlers/handler.ts";
import { Readiness } from "./readiness.ts";
import { sendError } from "./send-error.ts";

export function registerHealth(
  server: FastifyInstance,
  door: Door,
  renderMetrics: () => Promise<{ text: string; contentType: string }>,
): void {
  const readiness = new Readiness({
    probe: () => door.app.store.probeWrite(),
    onChange: (failure) => {
      if (failure === undefined) door.log.info("ready again");
      else door.log.warn({ err: failure }, "not ready");
    },
  });
  server.get("/health/live", (request, reply) => {
    door.replies.send(request, reply, ok(200, { status: "live" }));
  });
  server.get("/health/ready", async (request, reply) => {
    await answerReady(door, request, { reply, readiness });
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
  { reply, readiness }: { readonly reply: FastifyReply; readonly readiness: Readiness },
): Promise<void> {
  try {
    if (door.closing()) throw new AppError("unavailable");
    await readiness.check();
    door.replies.send(request, reply, ok(200, { status: "ready" }));
  } catch {
    // The reason is in the log since it began.
    const error = new AppError("unavailable", { retryAfterSeconds: 1 });
    sendError(door, request, { reply, error });
  }
}
