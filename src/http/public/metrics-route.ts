// GET /metrics. Scrapes share one rendering. A METRICS_TOKEN must be sent, and is compared in constant time.

import { hash, timingSafeEqual } from "node:crypto";
import { AppError } from "../../domain/error.ts";
import { coalesce } from "../coalesce.ts";
import type { HttpContext } from "../http-context.ts";
import { rateLimitExceeded, unauthorized } from "../openapi/error-responses.ts";
import { rateFields, rateLimited } from "../rate-limit/rate-limit.ts";
import { limitUnauthenticated } from "../rate-limit/enforce-limit.ts";
import { sendError } from "../reply/send-error.ts";
import type { PublicRequest, PublicRoute } from "./public-route.ts";

export const metricsRoute: PublicRoute = {
  path: "/metrics",
  limited: false,
  document: {
    operationId: "readMetrics",
    summary: "Read the metrics",
    description:
      "The metrics of this process in the text format of Prometheus. If the operator has set METRICS_TOKEN, send it as " +
      "`Authorization: Bearer <token>`.",
    answers: "The metrics.",
    contentType: "text/plain",
    schema: { type: "string" },
    example: 'sluice_records_written_total{resource_type="transaction"} 1024\n',
    errors: [unauthorized, rateLimitExceeded],
  },
  makeHandler: (context, { metricsToken, renderMetrics }) => {
    const render = coalesce(
      async () => {
        const { text, contentType } = await renderMetrics();
        return { status: 200, body: Buffer.from(text), contentType };
      },
      { pauseFactor: 4 },
    );
    const admit: Admit =
      metricsToken === undefined
        ? ({ request, reply }) => limitUnauthenticated(context, request, reply)
        : requireToken(context, metricsToken);
    return async (input) => ((await admit(input)) ? render() : undefined);
  },
};

type Admit = (input: PublicRequest) => boolean | Promise<boolean>;

/** A wrong token counts as a failed authentication of its address; requests with the token are never limited. */
function requireToken(context: HttpContext, token: string): Admit {
  const expected = hash("sha256", token, "buffer");
  return async ({ request, reply }) => {
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    if (sent !== undefined && timingSafeEqual(hash("sha256", sent, "buffer"), expected))
      return true;
    context.failures.note(request.ip, "metrics");
    const limited = context.rates.failedAuthentication(request.ip);
    if (!limited.allowed) context.onRateLimited("failed-authentication");
    const error = limited.allowed ? wrongToken(sent) : rateLimited(limited);
    sendError(context, request, { reply, error, headers: rateFields(limited.headers) });
    return false;
  };
}

function wrongToken(sent: string | undefined): AppError {
  const message = "Send the token of METRICS_TOKEN as Authorization: Bearer <token>.";
  return new AppError(sent === undefined ? "credential_missing" : "credential_invalid", {
    message,
  });
}
