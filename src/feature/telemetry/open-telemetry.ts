// Opens the export of spans with the official packages, and makes the server spans of requests. serving.ts loads
// only this file, and only if an export is configured: without it there is no cost, and the packages need not be
// installed. Ending a span never waits for the receiver.

import { randomUUID } from "node:crypto";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace";
import type { OpenService } from "../feature.ts";
import type { Store } from "../../store/interface/store.ts";
import { type Config, valueOf } from "../../settings/config.ts";
import { telemetrySettings } from "./settings.ts";
import { DeletionTracing } from "./trace-deletions.ts";
import { traceBodies, traceBulk, traceWrites } from "./trace-writes.ts";
import { SpanClock, Tracer } from "./tracer.ts";
import {
  type ExportResult,
  ExportResultCode,
  getNumberFromEnv,
  W3CTraceContextPropagator,
} from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { type Attributes, defaultTextMapGetter, ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import type { TraceRequest } from "../../http/http-context.ts";

export interface TelemetryParts extends Omit<ExportEvents, "onExport"> {
  readonly version: string;
}

export function openTelemetry(config: Config, parts: TelemetryParts): OpenService {
  const clock = new SpanClock();
  const provider = new TracerProvider({
    resource: describeProcess(parts.version),
    sampler: makeSampler(config),
    spanProcessors: [openSpanExport({ ...parts, onExport: () => clock.correct() })],
  });
  const tracer = new Tracer(provider.getTracer("sluice", parts.version), clock);
  const deletions = new DeletionTracing(tracer);
  const writes = traceWrites(tracer);
  return {
    observer: {
      request: traceRequests(tracer),
      onGroup: writes.onGroup,
      store: (store): Store => ({ ...store, ...writes.wrap(store), ...deletions.wrap(store) }),
      sealReceipt: (seal) => deletions.wrapSeal(seal),
      bulk: (bulk) => traceBulk(tracer, bulk),
      bodies: (bodies) => traceBodies(tracer, bodies),
    },
    // A failure of the last exports is counted and logged like any other.
    close: () => provider.shutdown().catch(() => undefined),
  };
}

/** The attributes that the operator sets replace the default ones with the same name. */
function describeProcess(version: string) {
  const ours = resourceFromAttributes({
    "service.name": "sluice",
    "service.version": version,
    "service.instance.id": randomUUID(),
    "process.runtime.name": "nodejs",
    "process.runtime.version": process.versions.node,
  });
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource().merge(ours).merge(detectResources({ detectors }));
}

function makeSampler(config: Config): Sampler {
  const name = valueOf(config, telemetrySettings.otelSampler);
  const root = name.endsWith("traceidratio")
    ? new TraceIdRatioBasedSampler(valueOf(config, telemetrySettings.otelSamplerRatio))
    : name.endsWith("always_on")
      ? new AlwaysOnSampler()
      : new AlwaysOffSampler();
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

type DropReason = "queue" | "export";

interface ExportEvents {
  readonly onDropped: (count: number, reason: DropReason) => void;
  /** An export was not accepted. `reason` contains neither addresses nor headers. */
  readonly onFailure: (reason: string) => void;
  readonly onExport: () => void;
}

/** Defaults of the specification (OpenTelemetry Environment Variable Specification, "Batch Span Processor"). */
function readBounds() {
  const maxQueueSize = getNumberFromEnv("OTEL_BSP_MAX_QUEUE_SIZE") ?? 2_048;
  const batchMax = getNumberFromEnv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE") ?? 512;
  return {
    maxQueueSize,
    maxExportBatchSize: Math.min(batchMax, maxQueueSize),
    scheduledDelayMillis: getNumberFromEnv("OTEL_BSP_SCHEDULE_DELAY") ?? 5_000,
    exportTimeoutMillis: getNumberFromEnv("OTEL_BSP_EXPORT_TIMEOUT") ?? 30_000,
  };
}

/** The queue is the SDK's, which drops spans silently; so its waiting spans are counted here, too. */
function openSpanExport(events: ExportEvents): SpanProcessor {
  const bounds = readBounds();
  const exporter = new OTLPTraceExporter();
  let waiting = 0;
  const counted: SpanExporter = {
    export: (spans: ReadableSpan[], done: (result: ExportResult) => void) => {
      waiting -= spans.length;
      events.onExport();
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) {
          events.onDropped(spans.length, "export");
          events.onFailure(reasonOf(result.error));
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const queue = new BatchSpanProcessor({ ...bounds, exporter: counted });
  return {
    onStart: () => undefined,
    onEnd: (span) => {
      if (waiting >= bounds.maxQueueSize) return events.onDropped(1, "queue");
      waiting += 1;
      queue.onEnd(span);
    },
    forceFlush: () => queue.forceFlush(),
    shutdown: () => queue.shutdown(),
  };
}

/** The status of the reply or the code of the error, never its message, which may contain the address. */
function reasonOf(error: Error | undefined): string {
  const code: unknown = error !== undefined && "code" in error ? error.code : undefined;
  if (typeof code === "number") return `status ${code}`;
  return typeof code === "string" ? code : "no answer, or one that asked to try again later";
}

/** Continues the trace of a client; malformed headers are ignored, as W3C Trace Context demands. */
function traceRequests(tracer: Tracer): TraceRequest {
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
