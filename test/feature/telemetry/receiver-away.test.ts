// A receiver that is away, slow, overloaded or broken: spans are dropped and counted, and neither requests nor the stop
// of the service wait for it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeCustomer } from "../../support/customer.ts";
import { type Service, startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { setEnvironment, startOtlpReceiver } from "./otlp-receiver.ts";

async function startTraced(variables: Readonly<Record<string, string>>): Promise<Service> {
  const restore = setEnvironment(variables);
  return await startService({ environment: variables }).finally(restore);
}

async function askRepeatedly(service: Service, times: number): Promise<void> {
  const { token } = await makeCustomer(service.app, service.client);
  const ask = { method: "GET", path: "/v2/transaction", token, query: { tx_id: "a" } };
  for (let count = 0; count < times; count += 1) {
    assert.equal((await service.client.send(ask)).status, 404);
  }
}

async function readMetrics(service: Service): Promise<string> {
  return (await service.client.send({ method: "GET", path: "/metrics" })).text;
}

describe("the service", () => {
  it("answers and stops while the receiver hangs, counts what it dropped, and logs no secret", async () => {
    const receiver = await startOtlpReceiver();
    receiver.behave("hang");
    const service = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/secret-path`,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=secret-header",
      OTEL_EXPORTER_OTLP_TIMEOUT: "300",
      OTEL_BSP_MAX_QUEUE_SIZE: "2",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "1",
    });
    try {
      await askRepeatedly(service, 10);
      const text = await waitFor("failures to be counted", async () => {
        const found = await readMetrics(service);
        return /^sluice_telemetry_export_failures_total [1-9]/m.test(found) ? found : undefined;
      });
      assert.match(text, /^sluice_spans_dropped_total\{reason="queue"\} [1-9]/m);
      assert.match(text, /^sluice_spans_dropped_total\{reason="export"\} [1-9]/m);
    } finally {
      await service.stop();
      await receiver.close();
    }
    const log = service.log.join("");
    assert.match(log, /"receiver":"127\.0\.0\.1:\d+","why":"[^"]+"/);
    assert.ok(log.includes('"msg":"stopped"') && !log.includes("secret"));
  });

  it("stops while the receiver replies without an end", async () => {
    const receiver = await startOtlpReceiver();
    receiver.behave("drip");
    const service = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      SHUTDOWN_GRACE_MS: "0",
    });
    try {
      await askRepeatedly(service, 1);
    } finally {
      await service.stop();
      await receiver.close();
    }
    assert.match(service.log.at(-1) ?? "", /stopped before everything has ended/);
  });

  it("counts and logs what a receiver refuses", async () => {
    const receiver = await startOtlpReceiver();
    receiver.behave({ status: 400 });
    const service = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: "20",
    });
    try {
      await askRepeatedly(service, 1);
      await waitFor("the failure to be counted", async () =>
        /^sluice_spans_dropped_total\{reason="export"\} [1-9]/m.test(await readMetrics(service)),
      );
    } finally {
      await service.stop();
      await receiver.close();
    }
    assert.ok(service.log.join("").includes('"why":"status 400"'));
  });

  it("loads nothing of it where no endpoint and no exporter is set", async () => {
    const service = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_SDK_DISABLED: "TRUE",
    });
    const { token } = await makeCustomer(service.app, service.client);
    const headers = { traceparent: "malformed" };
    const ask = { method: "GET", path: "/v2/transaction", token, query: { tx_id: "a" }, headers };
    assert.equal((await service.client.send(ask)).status, 404);
    await service.stop();
    assert.equal(/telemetry/.exec(service.log.join("")), null);
  });
});
