// What probes ask: is the process alive, can it take requests. Counts against no limit, so that probes are answered
// whatever else comes from their address.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { probeWrite } from "../../actions/maintain-store.ts";
import { AppError } from "../../domain/error.ts";
import type { HttpContext } from "../http-context.ts";
import { ok } from "../handlers/handler.ts";
import { Readiness } from "./readiness.ts";
import { sendError } from "../reply/send-error.ts";

export function registerHealth(server: FastifyInstance, context: HttpContext): void {
  const readiness = new Readiness({
    probe: () => probeWrite(context.app),
    onChange: (failure) => {
      if (failure === undefined) context.log.info("ready again");
      else context.log.warn({ err: failure }, "not ready");
    },
  });
  server.get("/health/live", (request, reply) => {
    context.replies.send(request, reply, ok(200, { status: "live" }));
  });
  server.get("/health/ready", async (request, reply) => {
    await answerReady(context, { request, reply }, readiness);
    return reply;
  });
}

async function answerReady(
  context: HttpContext,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  readiness: Readiness,
): Promise<void> {
  if (context.draining()) {
    // Expected at every stop, and asked for many times: nothing to log.
    const error = new AppError("unavailable", { retryAfterSeconds: 1 });
    sendError(context, request, { reply, error });
    return;
  }
  try {
    await readiness.check();
    context.replies.send(request, reply, ok(200, { status: "ready" }));
  } catch {
    // The reason is in the log since it began.
    const error = new AppError("unavailable", { retryAfterSeconds: 1 });
    sendError(context, request, { reply, error });
  }
}
