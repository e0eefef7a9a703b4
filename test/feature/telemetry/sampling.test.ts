// When traces are exported, and which of them are recorded.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readConfig } from "../../../src/settings/config.ts";
import { SpanClock } from "../../../src/feature/telemetry/tracer.ts";
import { telemetrySettings, traceReceiver } from "../../../src/feature/telemetry/settings.ts";
import { makeCustomer } from "../../support/customer.ts";
import { startService } from "../../support/service.ts";
import { setEnvironment, startOtlpReceiver } from "./otlp-receiver.ts";

const settings = Object.values(telemetrySettings);

const receiverOf = (environment: Readonly<Record<string, string>>) =>
  traceReceiver(readConfig(environment, settings))?.host;

describe("the export of traces", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

  it("is off unless an endpoint or an exporter is set, and can be disabled", () => {
    assert.equal(receiverOf({}), undefined);
    assert.equal(receiverOf({ OTEL_TRACES_SAMPLER: "always_on" }), undefined);
    assert.equal(receiverOf({ ...endpoint, OTEL_SDK_DISABLED: "True" }), undefined);
    assert.equal(receiverOf({ ...endpoint, OTEL_TRACES_EXPORTER: "none" }), undefined);
  });

  it("is to the URL of traces, else to that of all, else to this machine", () => {
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces/t" };
    assert.equal(receiverOf(endpoint), "collector:4318");
    assert.equal(receiverOf({ ...endpoint, ...own }), "traces");
    assert.equal(receiverOf({ OTEL_TRACES_EXPORTER: "otlp" }), "localhost:4318");
  });
});

/** Whether requests are recorded that have no parent, one that is recorded, and one that is not. */
const recorded = {
  always_on: ["00", "01", "alone"],
  parentbased_always_off: ["01"],
} as const;

describe("the sampler", () => {
  for (const [sampler, expected] of Object.entries(recorded)) {
    it(`${sampler} records ${expected.join(", ")}`, async () => {
      const receiver = await startOtlpReceiver();
      const variables = {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_TRACES_SAMPLER: sampler,
      };
      const restore = setEnvironment(variables);
      const service = await startService({ environment: variables }).finally(restore);
      const { token } = await makeCustomer(service.app, service.client);
      const send = (method: string, flags?: string) =>
        service.client.send({
          method,
          path: "/v2/deletion_request",
          token,
          query: { deletion_request_id: "none" },
          headers:
            flags === undefined
              ? {}
              : { traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}` },
        });
      await send("GET", "00");
      await send("GET", "01");
      await send("GET");
      await service.stop();
      await receiver.close();
      const spans = receiver.spans().filter(({ name }) => name === "GET /v2/deletion_request");
      assert.equal(spans.length, expected.length);
      const continued = spans.filter(({ parentSpanId }) => parentSpanId !== "");
      assert.equal(continued.length, expected.filter((one) => one !== "alone").length);
    });
  }
});

describe("the clock of spans", () => {
  it("follows the system's clock when that has moved, and ignores its resolution", () => {
    const clock = new SpanClock();
    clock.correct(clock.now() + 3_600_000);
    const ahead = clock.now() - Date.now();
    assert.ok(ahead > 3_590_000 && ahead < 3_610_000, String(ahead));
    clock.correct();
    assert.ok(Math.abs(clock.now() - Date.now()) < 1_000);
    const before = clock.now();
    clock.correct(before - 5);
    assert.ok(clock.now() >= before);
  });
});
