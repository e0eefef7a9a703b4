// The figures of connections: what is open, what waits, what is held, and what was closed to keep within bounds. Read at
// each snapshot.

import type { Edge } from "../http/connection/edge.ts";
import type { Registry } from "./registry.ts";

export function registerConnections(registry: Registry, edge: Edge): void {
  const { connections, pipelines, replies } = edge;
  const open = registry.gauge({ name: "sluice_connections", help: "Open connections." });
  const waiting = registry.gauge({
    name: "sluice_requests_waiting",
    help: "Requests that wait for the reply to an earlier one on their connection.",
  });
  const unparsed = registry.gauge({
    name: "sluice_unparsed_bytes",
    help: "Bytes behind these requests that were received and are not parsed yet.",
  });
  const queued = registry.gauge({
    name: "sluice_reply_queue_bytes",
    help: "Bytes of replies that clients have not taken yet.",
  });
  const closed = registry.counters({
    name: "sluice_connections_closed_total",
    help: "Connections that were closed to keep within bounds, by reason.",
    labels: ["reason"],
  });
  registry.onSnapshot(() => {
    open.set(connections.count);
    waiting.set(pipelines.waiting);
    unparsed.set(pipelines.bytes);
    queued.set(replies.bytes);
    closed.with("refused").value = connections.refused;
    closed.with("idle").value = connections.evicted;
    closed.with("pipelined").value = pipelines.refused;
    closed.with("unread").value = replies.refused;
  });
}
