// GET /metrics. Scrapes share one rendering. A METRICS_TOKEN must be sent, and is compared in constant time.

import { hash, timingSafeEqual } from "node:crypto";
import { AppError } from "../../domain/error.ts";
import { coalesce } from "../coalesce.ts";
import { rateLimitExceeded, unauthorized } from "../openapi/error-responses.ts";
import { limitUnauthenticated } from "../rate-limit/enforce-limit.ts";
import { refuseCredential } from "../request/authenticate.ts";
import type { PublicRoute } from "./public-route.ts";

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
    const admit = metricsToken === undefined ? limitUnauthenticated : requireToken(metricsToken);
    return async (request) => {
      admit(context, request);
      return render();
    };
  },
};

/** A wrong token counts as a failed authentication of its address; requests with the token are never limited. */
function requireToken(token: string): typeof limitUnauthenticated {
  const expected = hash("sha256", token, "buffer");
  return (context, request) => {
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    if (sent !== undefined && timingSafeEqual(hash("sha256", sent, "buffer"), expected)) return;
    const kind = sent === undefined ? "credential_missing" : "credential_invalid";
    const message = "Send the token of METRICS_TOKEN as Authorization: Bearer <token>.";
    refuseCredential(context, request, {
      error: new AppError(kind, { message }),
      where: "metrics",
    });
  };
}
