// The settings of OpenTelemetry, under the names of its specification (OpenTelemetry Environment Variable Specification;
// OTLP Exporter Configuration). A value that is not supported is an error at start, never ignored.

import {
  oneOf,
  optional,
  Problem,
  readPairs,
  type Setting,
  setting,
  wholeNumber,
} from "../setting.ts";

export const protocols = ["http/protobuf", "http/json"] as const;
export type Protocol = (typeof protocols)[number];

const compressions = ["none", "gzip"] as const;
export type Compression = (typeof compressions)[number];

const exporters = ["otlp", "none"] as const;
type Exporter = (typeof exporters)[number];

export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type SamplerName = (typeof samplers)[number];

export type Pairs = Readonly<Record<string, string>>;

/** Undefined where the setting of one kind of signal does not replace the common one. */
export interface TelemetrySettings {
  readonly otelDisabled: boolean;
  readonly otelServiceName: string | undefined;
  readonly otelResourceAttributes: Pairs;
  readonly otelTracesExporter: Exporter | undefined;
  readonly otelMetricsExporter: Exporter | undefined;
  readonly otelPropagators: readonly string[];
  readonly otelSampler: SamplerName;
  readonly otelSamplerRatio: number;
  readonly otelEndpoint: URL | undefined;
  readonly otelTracesEndpoint: URL | undefined;
  readonly otelMetricsEndpoint: URL | undefined;
  readonly otelProtocol: Protocol;
  readonly otelTracesProtocol: Protocol | undefined;
  readonly otelMetricsProtocol: Protocol | undefined;
  readonly otelHeaders: Pairs;
  readonly otelTracesHeaders: Pairs;
  readonly otelMetricsHeaders: Pairs;
  readonly otelCompression: Compression;
  readonly otelTracesCompression: Compression | undefined;
  readonly otelMetricsCompression: Compression | undefined;
  readonly otelTimeoutMs: number;
  readonly otelTracesTimeoutMs: number | undefined;
  readonly otelMetricsTimeoutMs: number | undefined;
  readonly otelSpanDelayMs: number;
  readonly otelSpanExportTimeoutMs: number;
  readonly otelSpanQueueMax: number;
  readonly otelSpanBatchMax: number;
  readonly otelMetricIntervalMs: number;
  readonly otelMetricExportTimeoutMs: number;
}

const otlp = "OTEL_EXPORTER_OTLP";
const timeoutMs = wholeNumber(1, 600_000);
const intervalMs = wholeNumber(100, 3_600_000);

/** Of spans, and of metrics: settings that replace those of both. */
function ofSignal(signal: "TRACES" | "METRICS") {
  const whose = signal.toLowerCase();
  return {
    endpoint: setting(
      `${otlp}_${signal}_ENDPOINT`,
      "",
      `URL for ${whose}, used as it is. Turns their export on.`,
      optional(endpoint),
    ),
    protocol: setting(
      `${otlp}_${signal}_PROTOCOL`,
      "",
      `Protocol for ${whose}, if different.`,
      optional(oneOf(protocols)),
    ),
    headers: setting(
      `${otlp}_${signal}_HEADERS`,
      "",
      `Headers for ${whose}, in addition to the common ones or replacing them.`,
      headers,
    ),
    compression: setting(
      `${otlp}_${signal}_COMPRESSION`,
      "",
      `Compression for ${whose}, if different.`,
      optional(oneOf(compressions)),
    ),
    timeout: setting(
      `${otlp}_${signal}_TIMEOUT`,
      "",
      `Timeout for ${whose}, if different, in milliseconds.`,
      optional(timeoutMs),
    ),
  };
}

const traces = ofSignal("TRACES");
const metrics = ofSignal("METRICS");

/** Part of the table of all settings. */
export const telemetrySettings = {
  otelDisabled: setting(
    "OTEL_SDK_DISABLED",
    "false",
    "`true` turns OpenTelemetry off, whatever else is set.",
    trueOrFalse,
  ),
  otelServiceName: setting(
    "OTEL_SERVICE_NAME",
    "",
    "The `service.name` of spans and metrics; without it that of `OTEL_RESOURCE_ATTRIBUTES`, or `sluice`.",
    optional(anyText),
  ),
  otelResourceAttributes: setting(
    "OTEL_RESOURCE_ATTRIBUTES",
    "",
    "Attributes of the process, such as `deployment.environment.name=staging`: `key=value`, separated by commas, percent-encoded.",
    attributes,
  ),
  otelTracesExporter: setting(
    "OTEL_TRACES_EXPORTER",
    "",
    "`otlp` or `none`. Without it, traces are exported if an endpoint is set.",
    optional(oneOf(exporters)),
  ),
  otelMetricsExporter: setting(
    "OTEL_METRICS_EXPORTER",
    "",
    "`otlp` or `none`. Without it, metrics are exported if an endpoint is set.",
    optional(oneOf(exporters)),
  ),
  otelPropagators: setting(
    "OTEL_PROPAGATORS",
    "tracecontext,baggage",
    "How the trace of a client is found: `tracecontext` or `none`. `baggage` is accepted and has no effect.",
    propagators,
  ),
  otelSampler: setting(
    "OTEL_TRACES_SAMPLER",
    "parentbased_always_on",
    `Which traces are recorded: ${samplers.join(", ")}.`,
    oneOf(samplers),
  ),
  otelSamplerRatio: setting(
    "OTEL_TRACES_SAMPLER_ARG",
    "1",
    "The share of traces that the samplers by ratio record, from 0 to 1.",
    ratio,
  ),
  otelEndpoint: setting(
    `${otlp}_ENDPOINT`,
    "",
    "Base URL of an OTLP receiver; `/v1/traces` and `/v1/metrics` are appended. Turns the export of both on.",
    optional(endpoint),
  ),
  otelTracesEndpoint: traces.endpoint,
  otelMetricsEndpoint: metrics.endpoint,
  otelProtocol: setting(
    `${otlp}_PROTOCOL`,
    "http/protobuf",
    "`http/protobuf` or `http/json`.",
    oneOf(protocols),
  ),
  otelTracesProtocol: traces.protocol,
  otelMetricsProtocol: metrics.protocol,
  otelHeaders: setting(
    `${otlp}_HEADERS`,
    "",
    "Headers of each export, such as credentials: `key=value`, separated by commas, percent-encoded. Never logged.",
    headers,
  ),
  otelTracesHeaders: traces.headers,
  otelMetricsHeaders: metrics.headers,
  otelCompression: setting(`${otlp}_COMPRESSION`, "none", "`gzip` or `none`.", oneOf(compressions)),
  otelTracesCompression: traces.compression,
  otelMetricsCompression: metrics.compression,
  otelTimeoutMs: setting(
    `${otlp}_TIMEOUT`,
    "10000",
    "How long an export may take, with its retries, in milliseconds.",
    timeoutMs,
  ),
  otelTracesTimeoutMs: traces.timeout,
  otelMetricsTimeoutMs: metrics.timeout,
  otelSpanDelayMs: setting(
    "OTEL_BSP_SCHEDULE_DELAY",
    "5000",
    "How long a span waits for others to share its export, in milliseconds.",
    wholeNumber(1, 600_000),
  ),
  otelSpanExportTimeoutMs: setting(
    "OTEL_BSP_EXPORT_TIMEOUT",
    "30000",
    "How long an export of spans may take; the shorter one of the two timeouts applies.",
    timeoutMs,
  ),
  otelSpanQueueMax: setting(
    "OTEL_BSP_MAX_QUEUE_SIZE",
    "2048",
    "How many ended spans may wait for export; more are dropped and counted.",
    wholeNumber(1, 100_000),
  ),
  otelSpanBatchMax: setting(
    "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
    "512",
    "The maximum number of spans in an export.",
    wholeNumber(1, 100_000),
  ),
  otelMetricIntervalMs: setting(
    "OTEL_METRIC_EXPORT_INTERVAL",
    "60000",
    "How often metrics are exported, in milliseconds.",
    intervalMs,
  ),
  otelMetricExportTimeoutMs: setting(
    "OTEL_METRIC_EXPORT_TIMEOUT",
    "30000",
    "How long an export of metrics may take; the shorter one of the two timeouts applies.",
    timeoutMs,
  ),
} satisfies { [Name in keyof TelemetrySettings]: Setting<TelemetrySettings[Name]> };

/** In any case of letters, as the specification demands. */
function trueOrFalse(value: string): boolean | Problem {
  const lower = value.toLowerCase();
  return lower === "true" || lower === "false" ? lower === "true" : new Problem("true or false");
}

function anyText(value: string): string | Problem {
  return value.trim() === "" ? new Problem("a name") : value;
}

function ratio(value: string): number | Problem {
  const number = /^(?:\d{1,3}(?:\.\d{1,20})?|\.\d{1,20})$/.test(value) ? Number(value) : Number.NaN;
  return number <= 1 ? number : new Problem("a number from 0 to 1, such as 0.01");
}

function endpoint(value: string): URL | Problem {
  const url = URL.parse(value);
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (url !== null && isWeb && url.username === "" && url.password === "") return url;
  return new Problem(
    "an http or https URL such as http://127.0.0.1:4318, without a user or password " +
      "(credentials belong into OTEL_EXPORTER_OTLP_HEADERS)",
  );
}

function propagators(value: string): readonly string[] | Problem {
  const names = value.split(",").map((name) => name.trim());
  const isKnown = names.every((name) => ["tracecontext", "baggage", "none"].includes(name));
  if (isKnown && (names.length === 1 || !names.includes("none"))) return names;
  return new Problem("tracecontext, baggage, both separated by a comma, or none");
}

function attributes(value: string): Pairs | Problem {
  const pairs = readPairs(value);
  if (pairs !== undefined) return Object.fromEntries(pairs);
  return new Problem("key=value pairs, separated by commas, percent-encoded");
}

function headers(value: string): Pairs | Problem {
  const pairs = readPairs(value);
  if (pairs?.every(isHeader) === true) return Object.fromEntries(pairs);
  return new Problem(
    "key=value pairs of header names and values, separated by commas, percent-encoded, such as x-api-key=abc",
  );
}

/** RFC 9110, sections 5.1 and 5.5. Node has the same check in `node:http`, which would slow down every command. */
function isHeader([name, value]: readonly [string, string]): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
