// GET /metrics. Scrapes that come at the same time share one rendering. Where METRICS_TOKEN is set it has to be presented,
// and is compared in constant time.

import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../domain/error.ts";
import { coalesce } from "../coalesce.ts";
import type { HttpContext } from "../http-context.ts";
import { rateFields, rateLimited } from "../rate-limit/rate-limit.ts";
import { sendError } from "../reply/send-error.ts";
import { limitUnauthenticated } from "../rate-limit/unauthenticated.ts";

export interface MetricsOptions {
  /** Undefined leaves the metrics open. */
  readonly metricsToken: string | undefined;
  readonly renderMetrics: () => Promise<{ text: string; contentType: string }>;
}

export function registerMetrics(
  server: FastifyInstance,
  context: HttpContext,
  { metricsToken, renderMetrics }: MetricsOptions,
): void {
  const render = coalesce(
    async () => {
      const { text, contentType } = await renderMetrics();
      return { body: Buffer.from(text), contentType };
    },
    { restTimes: 4 },
  );
  const admit =
    metricsToken === undefined
      ? (request: FastifyRequest, reply: FastifyReply) =>
          limitUnauthenticated(context, request, reply)
      : requireToken(context, metricsToken);
  server.get("/metrics", async (request, reply) => {
    if (!(await admit(request, reply))) return reply;
    const { body, contentType } = await render();
    context.replies.send(request, reply, { status: 200, body, contentType });
    return reply;
  });
}

type Admit = (request: FastifyRequest, reply: FastifyReply) => boolean | Promise<boolean>;

/** Whoever fails counts as a failed authentication of its address; who presents the token is never limited. */
function requireToken(context: HttpContext, token: string): Admit {
  const expected = digest(token);
  return async (request, reply) => {
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    if (sent !== undefined && timingSafeEqual(digest(sent), expected)) return true;
    const limited = await context.rates.failedAuthentication(request.ip);
    if (!limited.allowed) context.onRateLimited("failed-authentication");
    const error = limited.allowed ? refusal(sent) : rateLimited(limited);
    sendError(context, request, { reply, error, headers: rateFields(limited.headers) });
    return false;
  };
}

function refusal(sent: string | undefined): AppError {
  const message = "Send the token of METRICS_TOKEN as Authorization: Bearer <token>.";
  return new AppError(sent === undefined ? "credential_missing" : "credential_invalid", {
    message,
  });
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
