// What is exported against programs of the OpenTelemetry project: the definitions of the protocol, in Python, and the
// Collector. Each is skipped where it is not installed.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { Registry } from "../../src/metrics/registry.ts";
import { metricsRequestFields, traceRequestFields } from "../../src/telemetry/otlp/otlp-fields.ts";
import { makeOrigin } from "../../src/telemetry/otlp/otlp-message.ts";
import { toMetricsMessage } from "../../src/telemetry/otlp/metrics-message.ts";
import { encode, type Fields, type Message } from "../../src/telemetry/otlp/protobuf.ts";
import { toTraceMessage } from "../../src/telemetry/otlp/trace-message.ts";
import type { EndedSpan } from "../../src/telemetry/span.ts";
import { makeCustomer } from "../support/customer.ts";
import { findFreePort } from "../support/free-port.ts";
import { startService } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { startOtlpReceiver } from "./otlp-receiver.ts";

const run = promisify(execFile);

const python = process.platform === "win32" ? "python" : "python3";
const collector = "otelcol";

async function isSkipped(context: TestContext, command: readonly string[], needs: string) {
  const [program = "", ...words] = command;
  const found = await run(program, words).catch(() => undefined);
  if (found === undefined) context.skip(`needs ${needs}`);
  return found === undefined;
}

const origin = makeOrigin({
  version: "1.2.3",
  instanceId: "one",
  attributes: { text: "é", whole: -5, large: 2 ** 52, fraction: 0.5, flag: false },
});

const context = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", traceState: "a=1" };
const span: EndedSpan = {
  ...context,
  spanId: "00f067aa0ba902b7",
  parentSpanId: "00f067aa0ba902b8",
  isRemoteChild: true,
  link: { ...context, spanId: "00f067aa0ba902b9" },
  name: "GET /v2/transaction",
  kind: 2,
  startMs: 1_795_000_000_000.125,
  endMs: 1_795_000_000_001.5,
  attributes: { "http.response.status_code": 500 },
  failed: true,
};

async function makeMetricsMessage(): Promise<Message> {
  const registry = new Registry();
  registry
    .counters({ name: "c_total", help: "C.", labels: ["kind"] })
    .with("a")
    .add(3);
  registry.gauge({ name: "g_bytes", help: "G." }).set(0);
  registry.histogram({ name: "h_seconds", help: "H.", buckets: [0.5, 1] }).observe(0.75);
  const times = { startedAtMs: 1_795_000_000_000, takenAtMs: 1_795_000_060_000 };
  return toMetricsMessage(origin, await registry.snapshot(), times);
}

/** Prints the message of standard input as JSON, and refuses fields that the definitions do not have. */
const decoder = `
import json, sys
from google.protobuf.json_format import MessageToDict
from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
def check(message):
    assert len(UnknownFieldSet(message)) == 0, message
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for part in value if not hasattr(value, "ListFields") else [value]:
                check(part)
kind = {"traces": ExportTraceServiceRequest, "metrics": ExportMetricsServiceRequest}[sys.argv[1]]
message = kind.FromString(sys.stdin.buffer.read())
check(message)
print(json.dumps(MessageToDict(message, use_integers_for_enums=True)))
`;

async function decode(kind: string, fields: Fields, message: Message): Promise<unknown> {
  const started = run(python, ["-c", decoder, kind]);
  started.child.stdin?.end(encode(fields, message));
  return JSON.parse((await started).stdout);
}

/** As the JSON form of Protocol Buffers: bytes in Base64, and no empty lists. */
function expectedOf(message: Message): unknown {
  return JSON.parse(
    JSON.stringify(message, (name, value: unknown) => {
      if (Array.isArray(value) && value.length === 0) return undefined;
      const isId = /^(?:traceId|spanId|parentSpanId)$/.test(name) && typeof value === "string";
      return isId ? Buffer.from(value, "hex").toString("base64") : value;
    }),
  );
}

describe("the definitions of OTLP", () => {
  const needs = "Python with the package opentelemetry-proto";
  const command = [python, "-c", "import opentelemetry.proto"];

  it("decode exported spans to what they were", async (test) => {
    if (await isSkipped(test, command, needs)) return;
    const message = toTraceMessage(origin, [span]);
    const found = await decode("traces", traceRequestFields, message);
    assert.deepEqual(found, expectedOf(message));
  });

  it("decode exported metrics to what they were", async (test) => {
    if (await isSkipped(test, command, needs)) return;
    const message = await makeMetricsMessage();
    const found = await decode("metrics", metricsRequestFields, message);
    assert.deepEqual(found, expectedOf(message));
  });
});

describe("the OpenTelemetry Collector", () => {
  for (const protocol of ["http/protobuf", "http/json"]) {
    it(`passes on what it receives over ${protocol}`, async (test) => {
      const needs = `${collector}, the OpenTelemetry Collector, in the PATH`;
      if (await isSkipped(test, [collector, "--version"], needs)) return;
      const receiver = await startOtlpReceiver();
      let stop: (() => Promise<void>) | undefined;
      try {
        const port = await findFreePort();
        stop = await startCollector(port, receiver.url);
        await addTransaction({
          OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
          OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
          OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        });
        const { spans, points } = receiver;
        await waitFor("spans and metrics", () => (spans().length > 0 ? points()[0] : undefined));
        const request = spans().find(({ name }) => name === "POST /v2/transaction");
        assert.equal(request?.traceId, context.traceId);
        assert.equal(request?.attributes["http.response.status_code"], 201);
        const children = spans().filter(({ parentSpanId }) => parentSpanId === request?.spanId);
        assert.deepEqual(
          children.map(({ name }) => name),
          ["writer queue", "group commit"],
        );
        const records = points().find(({ name }) => name === "sluice_records_written_total");
        assert.deepEqual([records?.value, records?.labels], [1, { resource_type: "transaction" }]);
        const groups = points().find(({ name }) => name === "sluice_group_commit_writes");
        assert.ok((groups?.count ?? 0) > 0 && groups?.bounds?.length === 12);
      } finally {
        await stop?.();
        await receiver.close();
      }
    });
  }
});

async function addTransaction(environment: Readonly<Record<string, string>>): Promise<void> {
  const service = await startService({ environment });
  try {
    const { token } = await makeCustomer(service.app, service.client);
    const { status } = await service.client.send({
      method: "POST",
      path: "/v2/transaction",
      token,
      headers: { traceparent: `00-${context.traceId}-00f067aa0ba902b7-01` },
      body: {
        tx_id: "tx-1",
        type: "DEPOSIT",
        method: "SEPA",
        amount: 1,
        currency: "EUR",
        status: "SETTLED",
        sender_id: "person-81",
        sender_country: "DE",
        timestamp: "2026-01-31T09:30:00Z",
      },
    });
    assert.equal(status, 201);
  } finally {
    await service.stop();
  }
}

/** Returns a function that ends it. */
async function startCollector(port: number, target: string): Promise<() => Promise<void>> {
  const path = join(makeTempFolder(), "collector.json");
  const pipeline = { receivers: ["otlp"], exporters: ["otlphttp"] };
  const configuration = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { otlphttp: { endpoint: target, encoding: "json", compression: "none" } },
    service: {
      telemetry: { metrics: { level: "none" } },
      pipelines: { traces: pipeline, metrics: pipeline },
    },
  };
  writeFileSync(path, JSON.stringify(configuration));
  const child = spawn(collector, ["--config", `file:${path}`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close");
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  await waitFor("the Collector to start", () => {
    if (child.exitCode !== null) throw new Error(log);
    return log.includes("Everything is ready") ? true : undefined;
  });
  return async () => {
    child.kill("SIGTERM");
    await ended;
  };
}
