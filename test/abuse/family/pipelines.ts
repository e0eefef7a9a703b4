// Many requests in one packet on connections whose replies are never read.

import type { Abuse, AbuseContext, Title } from "../abuse.ts";
import { makeIds, transaction } from "../records.ts";
import { holding, requestBytes } from "../sending.ts";

interface Pipelined {
  readonly connections: number;
  readonly requests: number;
  readonly reads?: boolean;
}

/** Sends the packet once on each connection, and again as fast as it is accepted. */
function pipelined(
  title: Title,
  { connections, requests, reads = false }: Pipelined,
  requestOf: (context: AbuseContext, id: string) => Buffer,
): Abuse {
  const many = [connections, Math.min(10, connections)] as const;
  return holding(title, { connections: many, reads, pauseMs: () => 10 }, (context) => {
    const nextId = makeIds(title[0]);
    return {
      next: () =>
        Buffer.concat(Array.from({ length: requests }, () => requestOf(context, nextId()))),
    };
  });
}

const get = (path: string) => (): Buffer => requestBytes("GET", path);

export const pipelines: readonly Abuse[] = [
  pipelined(
    ["pipelined-document", "1,600 requests for /openapi.json in one packet, never read"],
    { connections: 1, requests: 1_600 },
    get("/openapi.json"),
  ),
  pipelined(
    ["pipelined-document-20", "20 connections with 500 of these each"],
    { connections: 20, requests: 500 },
    get("/openapi.json"),
  ),
  pipelined(
    ["pipelined-metrics", "20 connections with 500 requests for /metrics each"],
    { connections: 20, requests: 500 },
    get("/metrics"),
  ),
  pipelined(
    ["pipelined-health", "20 connections with 500 requests for /health/live each, read"],
    { connections: 20, requests: 500, reads: true },
    get("/health/live"),
  ),
  pipelined(
    ["pipelined-adds", "20 connections with 500 adds each, never read"],
    { connections: 20, requests: 500 },
    ({ target }, id) =>
      requestBytes("POST", "/v2/transaction", { token: target.token, body: transaction(id) }),
  ),
];
