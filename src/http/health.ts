// What probes ask: is the process alive, can it take requests. Counts against no limit, so that probes are answered
// whatever else comes from their address.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../domain/error.ts";
import type { Door } from "./door.ts";
import { ok } from "./handlers/handler.ts";
import { Readiness } from "./readiness.ts";
import { sendError } from "./send-error.ts";

export function registerHealth(server: FastifyInstance, door: Door): void {
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
    await answerReady(door, { request, reply }, readiness);
    return reply;
  });
}

async function answerReady(
  door: Door,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  readiness: Readiness,
): Promise<void> {
  if (door.draining()) {
    // Expected at every stop, and asked for many times: nothing to log.
    const error = new AppError("unavailable", { retryAfterSeconds: 1 });
    sendError(door, request, { reply, error });
    return;
  }
  try {
    await readiness.check();
    door.replies.send(request, reply, ok(200, { status: "ready" }));
  } catch {
    // The reason is in the log since it began.
    const error = new AppError("unavailable", { retryAfterSeconds: 1 });
    sendError(door, request, { reply, error });
  }
}
