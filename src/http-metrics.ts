// The figures of connections: what is open, what waits, and what was closed to keep within bounds.

import { Counter, Gauge, type Registry } from "prom-client";
import type { Edge } from "./http/connection/edge.ts";

/** `edge` is asked at each scrape. */
export function registerConnections(registry: Registry, edge: Edge): void {
  const { connections, pipelines, replies } = edge;
  const gauges = [
    ["sluice_connections", "Open connections.", () => connections.count],
    [
      "sluice_requests_waiting",
      "Requests that wait for the reply to an earlier one on their connection.",
      () => pipelines.waiting,
    ],
    [
      "sluice_unparsed_bytes",
      "Bytes behind these requests that were received and are not parsed yet.",
      () => pipelines.bytes,
    ],
    [
      "sluice_reply_queue_bytes",
      "Bytes of replies that clients have not taken yet.",
      () => replies.bytes,
    ],
  ] as const;
  for (const [name, help, read] of gauges) registry.registerMetric(makeGauge(name, help, read));
  registry.registerMetric(
    closedCounter(() => ({
      refused: connections.refused,
      idle: connections.evicted,
      pipelined: pipelines.refused,
      unread: replies.refused,
    })),
  );
}

function makeGauge(name: string, help: string, read: () => number): Gauge {
  return new Gauge({
    name,
    help,
    registers: [],
    collect() {
      this.set(read());
    },
  });
}

function closedCounter(read: () => Readonly<Record<string, number>>): Counter<"reason"> {
  return new Counter({
    name: "sluice_connections_closed_total",
    help: "Connections that were closed to keep within bounds, by reason.",
    labelNames: ["reason"],
    registers: [],
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(read())) this.inc({ reason }, count);
    },
  });
}
