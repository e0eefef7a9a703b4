// Sends ended spans to the receiver, with the official queue, which is bounded and exports in batches, and the official
// exporter. Ending a span never waits for the receiver. Dropped spans are counted, and failures are reported without
// headers and addresses.

import { type ExportResult, ExportResultCode, getNumberFromEnv } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace";

export type DropReason = "queue" | "export";

export interface ExportEvents {
  readonly onDropped: (count: number, reason: DropReason) => void;
  /** An export was not accepted. `reason` contains neither addresses nor headers. */
  readonly onFailure: (reason: string) => void;
  /** Before each export. */
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
export function openSpanExport(events: ExportEvents): SpanProcessor {
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
