// What the settings of OpenTelemetry mean together.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readConfig } from "../../src/config.ts";
import { telemetryOptions } from "../../src/telemetry/telemetry-options.ts";

function optionsOf(environment: Readonly<Record<string, string>>) {
  return telemetryOptions(readConfig(environment));
}

function urlsOf(environment: Readonly<Record<string, string>>) {
  const options = optionsOf(environment);
  return [options?.traces?.target.url.href, options?.metrics?.target.url.href];
}

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

describe("OpenTelemetry", () => {
  it("is off unless an endpoint or an exporter is set, and can be disabled", () => {
    assert.equal(optionsOf({}), undefined);
    assert.equal(
      optionsOf({ OTEL_SERVICE_NAME: "a", OTEL_TRACES_SAMPLER: "always_on" }),
      undefined,
    );
    assert.equal(optionsOf({ ...endpoint, OTEL_SDK_DISABLED: "true" }), undefined);
    const none = { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" };
    assert.equal(optionsOf({ ...endpoint, ...none }), undefined);
  });

  it("exports to paths below the endpoint, or to the URL of a signal as it is", () => {
    const [traces, metrics] = [
      "http://collector:4318/v1/traces",
      "http://collector:4318/v1/metrics",
    ];
    assert.deepEqual(urlsOf(endpoint), [traces, metrics]);
    assert.deepEqual(urlsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://a/b/?c" }), [
      "https://a/b/v1/traces?c",
      "https://a/b/v1/metrics?c",
    ]);
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://a/t" };
    assert.deepEqual(urlsOf({ ...endpoint, ...own }), ["http://a/t", metrics]);
    assert.deepEqual(urlsOf(own), ["http://a/t", undefined]);
  });

  it("exports to this machine if only an exporter is set", () => {
    const local = "http://localhost:4318";
    assert.deepEqual(urlsOf({ OTEL_TRACES_EXPORTER: "otlp" }), [`${local}/v1/traces`, undefined]);
    assert.deepEqual(urlsOf({ OTEL_METRICS_EXPORTER: "otlp" }), [undefined, `${local}/v1/metrics`]);
    const withoutMetrics = { ...endpoint, OTEL_METRICS_EXPORTER: "none" };
    assert.equal(urlsOf(withoutMetrics)[1], undefined);
  });

  it("prefers what is set for a signal", () => {
    const options = optionsOf({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "A=1,b=2",
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: "a=3",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: "none",
      OTEL_EXPORTER_OTLP_TIMEOUT: "2000",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "3000",
      OTEL_METRIC_EXPORT_TIMEOUT: "1000",
    });
    const { url: _of, ...traces } = options?.traces?.target ?? {};
    const { url: _at, ...metrics } = options?.metrics?.target ?? {};
    assert.deepEqual(traces, {
      headers: { a: "1", b: "2" },
      protocol: "http/protobuf",
      compression: "gzip",
      timeoutMs: 3_000,
    });
    assert.deepEqual(metrics, {
      headers: { a: "3", b: "2" },
      protocol: "http/json",
      compression: "none",
      timeoutMs: 1_000,
    });
  });

  it("takes the name of the service before that of the attributes, and batches no larger than the queue", () => {
    const OTEL_RESOURCE_ATTRIBUTES = "service.name=a,b=c";
    assert.deepEqual(optionsOf({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES })?.attributes, {
      "service.name": "a",
      b: "c",
    });
    const named = optionsOf({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME: "d" });
    assert.equal(named?.attributes["service.name"], "d");
    const small = optionsOf({ ...endpoint, OTEL_BSP_MAX_QUEUE_SIZE: "3" });
    assert.equal(small?.traces?.batchMax, 3);
    const none = optionsOf({ ...endpoint, OTEL_PROPAGATORS: "none" });
    assert.deepEqual([small?.traces?.continues, none?.traces?.continues], [true, false]);
  });
});
