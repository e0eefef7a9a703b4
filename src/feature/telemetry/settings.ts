// The settings of OpenTelemetry that Sluice reads itself, under the names of its specification: whether traces are
// exported, and which. Everything else about an export is read from the environment by the official packages.

import { type Config, valueOf } from "../../settings/config.ts";
import { oneOf, optional, Problem, setting } from "../../settings/setting.ts";

export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

const endpoint = webUrl("http://127.0.0.1:4318", "OTEL_EXPORTER_OTLP_HEADERS");

export const telemetrySettings = {
  otelDisabled: setting(
    "OTEL_SDK_DISABLED",
    "false",
    "`true` turns OpenTelemetry off, whatever else is set.",
    trueOrFalse,
  ),
  otelTracesExporter: setting(
    "OTEL_TRACES_EXPORTER",
    "",
    "`otlp` or `none`. Without it, traces are exported if an endpoint is set.",
    optional(oneOf(["otlp", "none"])),
  ),
  otelEndpoint: setting(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "",
    "Base URL of an OTLP receiver; `/v1/traces` is appended. Turns the export of traces on.",
    optional(endpoint),
  ),
  otelTracesEndpoint: setting(
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "",
    "URL for traces, used as it is. Turns their export on.",
    optional(endpoint),
  ),
  otelProtocol: setting(
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "http/protobuf",
    "`http/protobuf`; there is no other protocol.",
    oneOf(["http/protobuf"]),
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
};

/** Undefined if no traces are exported; otherwise the receiver, by default on this machine. */
export function traceReceiver(config: Config): URL | undefined {
  const { otelDisabled, otelEndpoint, otelTracesEndpoint, otelTracesExporter } = telemetrySettings;
  const receiver = valueOf(config, otelTracesEndpoint) ?? valueOf(config, otelEndpoint);
  const exporter = valueOf(config, otelTracesExporter) ?? (receiver && "otlp");
  if (exporter !== "otlp" || valueOf(config, otelDisabled)) return undefined;
  return receiver ?? new URL("http://localhost:4318");
}

/** Case does not matter, as the specification demands. */
function trueOrFalse(value: string): boolean | Problem {
  const lower = value.toLowerCase();
  return lower === "true" || lower === "false" ? lower === "true" : new Problem("true or false");
}

function ratio(value: string): number | Problem {
  const number = /^(?:\d{1,3}(?:\.\d{1,20})?|\.\d{1,20})$/.test(value) ? Number(value) : Number.NaN;
  return number <= 1 ? number : new Problem("a number from 0 to 1, such as 0.01");
}

/** `headers`: the setting for credentials. */
export function webUrl(example: string, headers: string): (value: string) => URL | Problem {
  return (value) => {
    const url = URL.parse(value);
    const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
    if (url !== null && isWeb && url.username === "" && url.password === "") return url;
    return new Problem(
      `an http or https URL such as ${example}, without a user or password ` +
        `(set credentials in ${headers})`,
    );
  };
}
