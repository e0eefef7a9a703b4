// GET /health/live and /health/ready, for probes. They count against no limit, so that they are always answered.

import { probeWrite } from "../../actions/upkeep/store-upkeep.ts";
import { AppError, isUnavailable, unavailable } from "../../domain/error.ts";
import type { JsonSchema } from "../openapi/document.ts";
import { unavailable as unavailableResponse } from "../openapi/error-responses.ts";
import { jsonAnswer } from "../reply/reply.ts";
import type { PublicRoute } from "./public-route.ts";
import { coalesce } from "../coalesce.ts";
import { withTimeout } from "../../basics/with-timeout.ts";

export const liveRoute: PublicRoute = {
  path: "/health/live",
  limited: false,
  document: {
    operationId: "checkLive",
    summary: "Check if the process is alive",
    description: "Replies as long as the process runs. Does not use the store.",
    answers: "It is alive.",
    contentType: "application/json",
    schema: statusSchema("live"),
    example: { status: "live" },
  },
  makeHandler: () => () => jsonAnswer(200, { status: "live" }),
};

export const readyRoute: PublicRoute = {
  path: "/health/ready",
  limited: false,
  document: {
    operationId: "checkReady",
    summary: "Check if the service is ready",
    description: "200 if the store accepts writes and the service is not shutting down.",
    answers: "It is ready.",
    contentType: "application/json",
    schema: statusSchema("ready"),
    example: { status: "ready" },
    errors: [unavailableResponse],
  },
  makeHandler: (context) => {
    const findFailure = makeReadiness({
      probe: () => probeWrite(context.app),
      onChange: (failure) => {
        if (failure === undefined) context.log.info("ready again");
        else context.log.warn({ err: failure, why: describe(failure).message }, "not ready");
      },
    });
    return async () => {
      // It has no cause, so that nothing is logged: a stop is expected, and any other reason was logged when it began.
      if (context.draining.aborted) throw unavailable("closing", { retryAfterSeconds: 1 });
      const failure = await findFailure();
      if (failure !== undefined) throw describe(failure);
      return jsonAnswer(200, { status: "ready" });
    };
  },
};

function describe(failure: unknown): AppError {
  if (!isUnavailable(failure)) return unavailable("not_ready", { retryAfterSeconds: 1 });
  return new AppError("unavailable", { message: failure.message, retryAfterSeconds: 1 });
}

function statusSchema(status: string): JsonSchema {
  return {
    type: "object",
    required: ["status"],
    properties: { status: { type: "string", enum: [status] } },
  };
}

const readinessKeptMs = 1_000;
const readinessTimeoutMs = 5_000;

interface ReadinessOptions {
  readonly probe: () => Promise<void>;
  readonly onChange: (failure: unknown) => void;
  readonly keptMs?: number;
  readonly timeoutMs?: number;
}

/** The reason why the service is not ready, or undefined. Concurrent calls share one probe. */
export function makeReadiness({
  probe,
  onChange,
  keptMs = readinessKeptMs,
  timeoutMs = readinessTimeoutMs,
}: ReadinessOptions): () => Promise<unknown> {
  const ask = coalesce(probe);
  let failure: unknown;
  let knownUntil = -Infinity;
  return async () => {
    if (performance.now() >= knownUntil) {
      const newFailure = await withTimeout(ask(), timeoutMs).then(
        () => undefined,
        (error: unknown) => error ?? new Error("no reason was given"),
      );
      const isChange = (newFailure === undefined) !== (failure === undefined);
      failure = newFailure;
      knownUntil = performance.now() + keptMs;
      if (isChange) onChange(failure);
    }
    return failure;
  };
}
