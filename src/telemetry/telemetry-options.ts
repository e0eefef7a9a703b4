// What the settings mean together: which signals are exported, to where and how. Undefined where nothing is exported, so that
// nothing of OpenTelemetry is loaded.

import type { Compression, Pairs, Protocol, SamplerName, TelemetrySettings } from "./settings.ts";

/** Where and how one kind of signal is exported. The headers may contain credentials. */
export interface ExportTarget {
  readonly url: URL;
  readonly headers: Pairs;
  readonly protocol: Protocol;
  readonly compression: Compression;
  /** Of one export with its retries, and of the last one at the end. */
  readonly timeoutMs: number;
}

export interface TraceOptions {
  readonly target: ExportTarget;
  readonly sampler: SamplerName;
  readonly ratio: number;
  /** Whether the trace of a client is continued. */
  readonly continues: boolean;
  readonly delayMs: number;
  readonly queueMax: number;
  readonly batchMax: number;
}

export interface MetricOptions {
  readonly target: ExportTarget;
  readonly intervalMs: number;
}

export interface TelemetryOptions {
  readonly traces: TraceOptions | undefined;
  readonly metrics: MetricOptions | undefined;
  /** Of the resource, from the settings. */
  readonly attributes: Pairs;
}

/** Of an OTLP receiver on the same machine (OTLP Exporter Configuration). */
const defaultEndpoint = new URL("http://localhost:4318");

export function telemetryOptions(settings: TelemetrySettings): TelemetryOptions | undefined {
  if (settings.otelDisabled) return undefined;
  const traces = traceOptions(settings);
  const metrics = metricOptions(settings);
  if (traces === undefined && metrics === undefined) return undefined;
  const { otelServiceName: name, otelResourceAttributes } = settings;
  const named = name === undefined ? {} : { "service.name": name };
  return { traces, metrics, attributes: { ...otelResourceAttributes, ...named } };
}

function traceOptions(settings: TelemetrySettings): TraceOptions | undefined {
  const own = settings.otelTracesEndpoint;
  const isOn = own !== undefined || settings.otelEndpoint !== undefined;
  if ((settings.otelTracesExporter ?? (isOn ? "otlp" : "none")) === "none") return undefined;
  const timeoutMs = settings.otelTracesTimeoutMs ?? settings.otelTimeoutMs;
  return {
    target: {
      url: own ?? urlBelow(settings.otelEndpoint, "v1/traces"),
      headers: mergeHeaders(settings.otelHeaders, settings.otelTracesHeaders),
      protocol: settings.otelTracesProtocol ?? settings.otelProtocol,
      compression: settings.otelTracesCompression ?? settings.otelCompression,
      timeoutMs: Math.min(timeoutMs, settings.otelSpanExportTimeoutMs),
    },
    sampler: settings.otelSampler,
    ratio: settings.otelSamplerRatio,
    continues: settings.otelPropagators.includes("tracecontext"),
    delayMs: settings.otelSpanDelayMs,
    queueMax: settings.otelSpanQueueMax,
    batchMax: Math.min(settings.otelSpanBatchMax, settings.otelSpanQueueMax),
  };
}

function metricOptions(settings: TelemetrySettings): MetricOptions | undefined {
  const own = settings.otelMetricsEndpoint;
  const isOn = own !== undefined || settings.otelEndpoint !== undefined;
  if ((settings.otelMetricsExporter ?? (isOn ? "otlp" : "none")) === "none") return undefined;
  const timeoutMs = settings.otelMetricsTimeoutMs ?? settings.otelTimeoutMs;
  return {
    target: {
      url: own ?? urlBelow(settings.otelEndpoint, "v1/metrics"),
      headers: mergeHeaders(settings.otelHeaders, settings.otelMetricsHeaders),
      protocol: settings.otelMetricsProtocol ?? settings.otelProtocol,
      compression: settings.otelMetricsCompression ?? settings.otelCompression,
      timeoutMs: Math.min(timeoutMs, settings.otelMetricExportTimeoutMs),
    },
    intervalMs: settings.otelMetricIntervalMs,
  };
}

/** A base URL may have a path of its own, with or without a slash at its end. */
function urlBelow(base = defaultEndpoint, path: string): URL {
  const url = new URL(base);
  url.pathname += url.pathname.endsWith("/") ? path : `/${path}`;
  return url;
}

/** Names of headers do not depend on the case of their letters. */
function mergeHeaders(common: Pairs, own: Pairs): Pairs {
  const entries = [...Object.entries(common), ...Object.entries(own)];
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}
