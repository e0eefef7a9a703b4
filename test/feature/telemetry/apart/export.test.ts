// Traces as a receiver of OTLP gets them from the service, with the official packages.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { makeCustomer } from "../../../support/customer.ts";
import { startService } from "../../../support/service.ts";
import { waitFor } from "../../../support/wait-for.ts";
import {
  type OtlpReceiver,
  type ReceivedSpan,
  setEnvironment,
  startOtlpReceiver,
} from "../otlp-receiver.ts";

const transaction = {
  tx_id: "secret-tx-1",
  type: "DEPOSIT",
  method: "SEPA",
  amount: 918_273_645.54,
  currency: "EUR",
  status: "SETTLED",
  sender_id: "secret-person-81",
  sender_country: "DE",
  timestamp: "2026-01-31T09:30:00Z",
};

const parent = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const traceparent = `00-${parent.traceId}-${parent.spanId}-01`;

const path = "/v2/transaction";

describe("traces of a service", async () => {
  let token: string;

  const receiver = await startOtlpReceiver();
  const exported = environmentFor(receiver);
  const restore = setEnvironment(exported);
  const service = await startService({ environment: exported });
  try {
    ({ token } = await makeCustomer(service.app, service.client));
    await addTransaction();
    await deleteTransaction();
    const { client } = service;
    await client.send({ method: "GET", path, token, query: { tx_id: "unknown" } });
    await client.send({ method: "GET", path: "/v2/unknown-secret", token });
    await addList(3_000);
    const headers = { traceparent: `${traceparent}-00`, tracestate: "vendor=2" };
    await client.send({ method: "HEAD", path, token, headers, query: { tx_id: "unknown" } });
  } finally {
    await service.stop();
  }
  after(async () => {
    restore();
    await receiver.close();
  });

  async function addTransaction(): Promise<void> {
    const headers = { traceparent, tracestate: "vendor=1", "x-request-id": "secret-request" };
    const { status } = await service.client.send({
      method: "POST",
      path,
      token,
      headers,
      body: transaction,
    });
    assert.equal(status, 201);
  }

  async function deleteTransaction(): Promise<void> {
    const { client } = service;
    const body = { tx_id: transaction.tx_id, reason: "secret reason" };
    const { body: reply } = await client.send({ method: "DELETE", path, token, body });
    const query = { deletion_request_id: reply.deletion_request_id ?? "" };
    await waitFor("the deletion to complete", async () => {
      const found = await client.send({
        method: "GET",
        path: "/v2/deletion_request",
        token,
        query,
      });
      return found.body.status === "completed";
    });
  }

  async function addList(count: number): Promise<void> {
    const items = Array.from({ length: count }, (_, at) => ({ ...transaction, tx_id: `t${at}` }));
    const list = "/v2/transactions/batch";
    const { status } = await service.client.send({
      method: "POST",
      path: list,
      token,
      body: items,
    });
    assert.equal(status, 200);
  }

  const named = (name: string): ReceivedSpan => {
    const found = receiver.spans().find((span) => span.name === name);
    assert.ok(found !== undefined, `${name} is missing`);
    return found;
  };
  const childrenOf = ({ spanId }: ReceivedSpan) =>
    receiver.spans().filter(({ parentSpanId }) => parentSpanId === spanId);

  it("continues the trace of a client, with its state", () => {
    const span = named(`POST ${path}`);
    const { traceId, parentSpanId, traceState, kind, flags } = span;
    const expected = { traceId: parent.traceId, parentSpanId: parent.spanId };
    assert.deepEqual({ traceId, parentSpanId }, expected);
    assert.deepEqual({ traceState, kind, flags }, { traceState: "vendor=1", kind: 2, flags: 769 });
    assert.deepEqual(span.attributes, {
      "http.request.method": "POST",
      "http.route": path,
      "url.path": path,
      "url.scheme": "http",
      "network.protocol.version": "1.1",
      "http.response.status_code": 201,
    });
  });

  it("shows what the request waited for: the writer's queue, then the group commit", () => {
    const span = named(`POST ${path}`);
    const children = childrenOf(span);
    assert.deepEqual(
      children.map(({ name, kind }) => [name, kind]),
      [
        ["writer queue", 1],
        ["group commit", 1],
      ],
    );
    const [queue, commit] = children;
    assert.ok(queue !== undefined && commit !== undefined);
    assert.equal(queue.endNano, commit.startNano);
    for (const { traceId, traceState, startNano, endNano, flags } of children) {
      assert.equal(traceId, parent.traceId);
      assert.equal(traceState, "vendor=1");
      assert.ok(span.startNano <= startNano && startNano <= endNano && endNano <= span.endNano);
      assert.equal(flags, 257);
    }
    assert.equal(commit.attributes["db.system.name"], "sqlite");
    assert.ok(Number(commit.attributes["sluice.group.writes"]) >= 1);
  });

  it("shows the passage of a long list through the bulk thread", () => {
    const [bulk, ...others] = childrenOf(named("POST /v2/transactions/batch"));
    assert.deepEqual([bulk?.name, others], ["bulk thread", []]);
    assert.equal(bulk?.attributes["sluice.items"], 3_000);
  });

  it("has a trace for each deletion", () => {
    const root = named("process deletion");
    assert.equal(root.parentSpanId, "");
    assert.notEqual(root.traceId, named(`DELETE ${path}`).traceId);
    const steps = childrenOf(root).map(({ name }) => name);
    assert.deepEqual(steps, ["claim and plan", "erase", "verify", "receipt", "complete"]);
    assert.ok(childrenOf(root).every((step) => step.traceId === root.traceId));
    assert.deepEqual(root.attributes, {
      "db.system.name": "sqlite",
      "sluice.deletion.resource_type": "transaction",
      "sluice.deletion.attempt": 1,
    });
  });

  it("counts an error of the client as its reply, not as a failure", () => {
    const span = named(`GET ${path}`);
    assert.equal(span.attributes["http.response.status_code"], 404);
    assert.equal(span.failed, false);
  });

  it("has no span of paths without an operation, nor of health checks and scrapes", () => {
    const routes = receiver.spans().map(({ attributes }) => attributes["http.route"]);
    const known = [undefined, "/auth/token", path, "/v2/deletion_request"];
    const others = routes.filter((route) => !known.some((one) => one === route));
    assert.deepEqual(others, ["/v2/transactions/batch"]);
  });

  it("names the process, with what the operator adds", () => {
    for (const { resource } of receiver.exports) {
      assert.equal(resource["service.name"], "intake");
      assert.equal(resource["deployment.environment.name"], "a b");
      assert.match(String(resource["service.instance.id"]), /^[0-9a-f-]{36}$/);
    }
  });

  it("begins a trace for a client whose headers are malformed", () => {
    const { traceId, parentSpanId, traceState } = named(`HEAD ${path}`);
    assert.notEqual(traceId, parent.traceId);
    assert.deepEqual([parentSpanId, traceState], ["", ""]);
  });

  it("sends the headers of the settings, compressed, to the path of the protocol", () => {
    assert.ok(receiver.exports.length > 0);
    for (const { path: to, headers } of receiver.exports) {
      assert.equal(to, "/base/v1/traces");
      assert.equal(headers["x-api-key"], "of traces");
      assert.equal(headers["content-encoding"], "gzip");
    }
  });

  it("contains neither content nor ids of records, tokens, keys, reasons or request ids", () => {
    const texts = receiver.exports.map(({ spans, resource }) =>
      JSON.stringify([spans, resource], (_, value: unknown) =>
        typeof value === "bigint" ? String(value) : value,
      ),
    );
    assert.equal(/secret|918273645/.exec(texts.join("\n")), null);
    assert.ok(!texts.some((text) => text.includes(token)));
    assert.equal(/secret-key|of traces/.exec(service.log.join("\n")), null);
  });
});

function environmentFor({ url }: OtlpReceiver): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/base/`,
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=secret-key",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-api-key=of%20traces",
    OTEL_SERVICE_NAME: "intake",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=a%20b",
    OTEL_BSP_SCHEDULE_DELAY: "20",
  };
}
