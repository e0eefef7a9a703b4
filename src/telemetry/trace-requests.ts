// Server spans of requests (OpenTelemetry semantic conventions for HTTP, stable). Their attributes never contain the
// query, which has ids of records, nor addresses, credentials or the organization.

import { type Attributes, defaultTextMapGetter, ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import type { TraceRequest } from "../http/http-context.ts";
import type { Tracer } from "./tracer.ts";

/** Continues the trace of a client; malformed headers are ignored, as W3C Trace Context demands. */
export function traceRequests(tracer: Tracer): TraceRequest {
  const propagator = new W3CTraceContextPropagator();
  return ({ request, reply }, route, work) => {
    const { raw, method } = request;
    const span = tracer.startRoot({
      name: `${method} ${route}`,
      kind: SpanKind.SERVER,
      startMs: tracer.now(),
      context: propagator.extract(ROOT_CONTEXT, raw.headers, defaultTextMapGetter),
    });
    if (span === undefined) return tracer.run(undefined, work);
    const response = reply.raw;
    const attributes = {
      "http.request.method": method,
      "http.route": route,
      "url.path": route,
      "url.scheme": request.protocol,
      "network.protocol.version": raw.httpVersion,
    };
    response.once("close", () => {
      const outcome = outcomeOf(response);
      tracer.end(span, { endMs: tracer.now(), attributes: { ...attributes, ...outcome } });
    });
    tracer.run(span, work);
  };
}

/** Covers a client that disconnects before the end of its reply. An error of the client is not one of the server. */
function outcomeOf(response: {
  readonly headersSent: boolean;
  readonly statusCode: number;
  readonly writableFinished: boolean;
}): Attributes {
  const { headersSent, statusCode, writableFinished } = response;
  const status: Attributes = headersSent ? { "http.response.status_code": statusCode } : {};
  if (headersSent && statusCode >= 500) return { ...status, "error.type": String(statusCode) };
  return writableFinished ? status : { ...status, "error.type": "disconnected" };
}
