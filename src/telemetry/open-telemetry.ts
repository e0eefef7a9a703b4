// Opens the export of spans and metrics. The only file that the rest of the service loads, and only where an export is
// configured: until then nothing here costs anything.

import { randomUUID } from "node:crypto";
import type { Snapshot } from "../metrics/snapshot.ts";
import type { Store } from "../store/store.ts";
import { MetricExport } from "./metric-export.ts";
import { OtlpClient } from "./otlp/otlp-client.ts";
import { metricsRequestFields, traceRequestFields } from "./otlp/otlp-fields.ts";
import { makeOrigin, type Origin } from "./otlp/otlp-message.ts";
import { toMetricsMessage } from "./otlp/metrics-message.ts";
import { toTraceMessage } from "./otlp/trace-message.ts";
import { makeSampler } from "./sampler.ts";
import { SpanClock } from "./span-clock.ts";
import { type DropReason, SpanQueue } from "./span-queue.ts";
import type { MetricOptions, TelemetryOptions, TraceOptions } from "./telemetry-options.ts";
import type { Telemetry, Tracing } from "./telemetry.ts";
import { traceBodies, traceBulk } from "./trace-bulk.ts";
import { DeletionTracing } from "./trace-deletions.ts";
import { traceRequests } from "./trace-requests.ts";
import { traceWrites } from "./trace-writes.ts";
import { Tracer } from "./tracer.ts";

export type Signal = "traces" | "metrics";

export interface TelemetryParts {
  readonly version: string;
  readonly snapshot: () => Promise<Snapshot>;
  readonly onDropped: (count: number, reason: DropReason) => void;
  /** An export was not accepted. `reason` contains neither addresses nor headers. */
  readonly onFailure: (signal: Signal, reason: string) => void;
  readonly onError: (error: unknown) => void;
}

export function openTelemetry(options: TelemetryOptions, parts: TelemetryParts): Telemetry {
  const { version } = parts;
  const { attributes } = options;
  const origin = makeOrigin({ version, instanceId: randomUUID(), attributes });
  const context = { ...parts, origin, userAgent: `sluice/${version}` };
  const traces = options.traces && openTraces(options.traces, context);
  const metrics = options.metrics && openMetrics(options.metrics, context);
  let finished: Promise<unknown> = Promise.resolve();
  return {
    tracing: traces?.tracing,
    finish: async () => {
      const read = metrics?.finish();
      finished = Promise.all([traces?.finish(), read?.then(({ sent }) => sent)]);
      await read;
    },
    close: async () => void (await finished),
  };
}

interface Context extends TelemetryParts {
  readonly origin: Origin;
  readonly userAgent: string;
}

function openTraces(options: TraceOptions, { origin, userAgent, ...parts }: Context) {
  const clock = new SpanClock();
  const client = new OtlpClient({
    ...options.target,
    fields: traceRequestFields,
    userAgent,
    onFailure: (reason) => parts.onFailure("traces", reason),
  });
  const queue = new SpanQueue({
    ...options,
    send: (spans) => {
      clock.correct();
      return client.send(toTraceMessage(origin, spans));
    },
    onDropped: parts.onDropped,
  });
  const tracer = new Tracer({
    sampler: makeSampler(options.sampler, options.ratio),
    clock,
    onEnded: (span) => queue.add(span),
  });
  return {
    tracing: makeTracing(tracer, options),
    finish: async () => {
      const end = client.close();
      await queue.close().finally(() => end[Symbol.dispose]());
    },
  };
}

function makeTracing(tracer: Tracer, { continues }: TraceOptions): Tracing {
  const deletions = new DeletionTracing(tracer);
  const writes = traceWrites(tracer, (id) => deletions.requested(id));
  return {
    request: traceRequests(tracer, continues),
    onGroup: writes.onGroup,
    store: (store): Store => ({ ...store, ...writes.wrap(store), ...deletions.wrap(store) }),
    sealReceipt: (seal) => deletions.wrapSeal(seal),
    bulk: (bulk) => traceBulk(tracer, bulk),
    bodies: (bodies) => traceBodies(tracer, bodies),
  };
}

function openMetrics(options: MetricOptions, { origin, userAgent, ...parts }: Context) {
  const startedAtMs = performance.timeOrigin;
  const client = new OtlpClient({
    ...options.target,
    fields: metricsRequestFields,
    userAgent,
    onFailure: (reason) => parts.onFailure("metrics", reason),
  });
  const metrics = new MetricExport({
    intervalMs: options.intervalMs,
    timeoutMs: options.target.timeoutMs,
    snapshot: parts.snapshot,
    send: (snapshot) => {
      const times = { startedAtMs, takenAtMs: Date.now() };
      return client.send(toMetricsMessage(origin, snapshot, times));
    },
    onError: parts.onError,
  });
  return {
    /** Resolves when the last figures are read; `sent` when they have been sent. */
    finish: async () => {
      const end = client.close();
      await metrics.takeLast();
      return { sent: metrics.close().finally(() => end[Symbol.dispose]()) };
    },
  };
}
