// The load generator, which runs as a child process: runs one round on request, over connections with one request in
// flight each. Only a 2xx counts as acknowledged; anything else fails the round, and with it the benchmark.

import { type Connection, openConnection } from "./connection.ts";
import { makeHistogram } from "./histogram.ts";
import {
  batchItems,
  makeRequests,
  type OperationName,
  type RequestOptions,
  seedRecords,
} from "./requests.ts";

export interface RoundOrder extends RequestOptions {
  readonly port: number;
  readonly operation: OperationName | "seed";
  readonly connections: number;
  /** No request is sent after this time, but those in flight are awaited. Seeding continues until it is done. */
  readonly seconds: number;
}

export interface RoundReport {
  /** Acknowledged requests, and the records in them. */
  readonly requests: number;
  readonly rows: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** The processor time of the generator itself. */
  readonly cpuSeconds: number;
}

export type RoundAnswer = RoundReport | { readonly failure: string };

export async function runRound(order: RoundOrder): Promise<RoundReport> {
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>();
  const nextRequest = makeRequests(order.operation, order);
  const requestsMax = order.operation === "seed" ? seedRecords / batchItems : Infinity;
  const latencies = makeHistogram();
  const connections: Connection[] = [];
  let deadline = Infinity;
  let begun = 0;
  let acknowledged = 0;

  async function open(): Promise<() => void> {
    let sentAt = 0;
    const connection = await openConnection(order.port, {
      onReply: () => {
        const now = performance.now();
        latencies.add(now - sentAt);
        acknowledged += 1;
        send(now);
      },
      onFailure: (why) => fail(new Error(`${order.operation}: ${why}`)),
    });
    connections.push(connection);

    function send(now: number): void {
      if (now < deadline && begun < requestsMax) {
        begun += 1;
        sentAt = now;
        connection.send(nextRequest());
      } else if (begun === acknowledged) end();
    }
    return () => send(performance.now());
  }

  const starts = await Promise.all(Array.from({ length: order.connections }, open));
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  if (order.operation !== "seed") deadline = startedAt + order.seconds * 1_000;
  for (const start of starts) start();
  try {
    await ended;
  } finally {
    for (const connection of connections) connection.close();
  }
  const cpu = process.cpuUsage(cpuBefore);
  return {
    requests: acknowledged,
    rows: acknowledged * rowsOfRequest(order),
    seconds: (performance.now() - startedAt) / 1_000,
    p50Ms: latencies.percentile(0.5),
    p99Ms: latencies.percentile(0.99),
    p999Ms: latencies.percentile(0.999),
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  };
}

function rowsOfRequest({ operation, itemsOfList = batchItems }: RoundOrder): number {
  return operation === "batch" || operation === "seed" ? itemsOfList : 1;
}

if (process.send !== undefined) {
  process.on("message", (order: RoundOrder) => {
    runRound(order).then(answer, (error: unknown) => answer({ failure: String(error) }));
  });
}

function answer(report: RoundAnswer): void {
  process.send?.(report);
}
