// Slow clients: with headers, with bodies, with reading replies, or with everything.

import type { Abuse, AbuseContext, Title } from "../abuse.ts";
import { listOf } from "../records.ts";
import { flooding, holding, requestBytes } from "../sending.ts";

function slowly(
  title: Title,
  connections: number,
  headOf: (context: AbuseContext) => string,
): Abuse {
  return holding(title, { connections: [connections, 100], pauseMs: () => 500 }, (context) => ({
    first: headOf(context),
    next: () => "x",
  }));
}

function bodyHead({ target }: AbuseContext, length: number): string {
  return (
    `POST /v2/transactions/batch HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${target.token}\r\n` +
    `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n[`
  );
}

const largeBodyBytes = 16 * 1_024 * 1_024;

/** Requests as much as it can without reading any of it. */
function unread(
  title: Title,
  connections: number,
  requestOf: (context: AbuseContext) => Buffer,
): Abuse {
  const many = { connections: [connections, 30], reads: false, pauseMs: () => 20 } as const;
  return holding(title, many, (context) => {
    const request = requestOf(context);
    return { next: () => request };
  });
}

export const slowClients: readonly Abuse[] = [
  slowly(
    ["slow-headers", "2,000 connections that send a header byte by byte"],
    2_000,
    () => "GET /health/live HTTP/1.1\r\nhost: x\r\nx-slow: ",
  ),
  slowly(["slow-small-bodies", "1,000 small bodies, byte by byte"], 1_000, (context) =>
    bodyHead(context, 10_000),
  ),
  slowly(["slow-large-bodies", "1,000 bodies of 16 MiB, byte by byte"], 1_000, (context) =>
    bodyHead(context, largeBodyBytes),
  ),
  slowly(
    ["slow-unauthenticated", "1,000 bodies without a credential, byte by byte"],
    1_000,
    () =>
      "POST /v2/person HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n",
  ),
  // Over slow lines, each of another speed.
  holding(
    ["trickled-bodies", "100 bodies of 16 MiB, sent in chunks"],
    { connections: [100, 20], addresses: 1, pauseMs: (index) => index % 20 },
    (context) => {
      const piece = Buffer.alloc(64 * 1_024, "1,");
      return { first: bodyHead(context, largeBodyBytes), next: () => piece };
    },
  ),
  unread(["unread-document", "200 connections that never read /openapi.json"], 200, () =>
    requestBytes("GET", "/openapi.json"),
  ),
  unread(["unread-reference", "400 connections that never read /docs/reference.js"], 400, () =>
    requestBytes("GET", "/docs/reference.js"),
  ),
  unread(
    ["unread-lenient-replies", "50 connections that never read lenient replies"],
    50,
    (context) =>
      requestBytes("POST", "/v2/transactions/batch", {
        token: context.target.token,
        headers: { prefer: "handling=lenient" },
        body: listOf(context.amount(5_000, 500), () => "{}"),
      }),
  ),
  holding(
    ["idle-connections", "5,000 connections that send nothing"],
    { connections: [5_000, 500], pauseMs: () => 100 },
    () => ({}),
  ),
  // More than may be open, so that each new one closes one that is idle.
  {
    ...holding(
      ["too-many-connections", "12,000 connections from 8 addresses"],
      { connections: [12_000, 600], addresses: 8, pauseMs: () => 100 },
      () => ({ first: "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n" }),
    ),
    // Node accepts one connection in each tick, in the order of their arrival.
    hasFloor: true,
  },
  flooding(
    ["connection-churn", "a connection per request, as many as possible"],
    { connections: [64, 16], addresses: 4 },
    () => () => requestBytes("GET", "/health/live", { headers: { connection: "close" } }),
  ),
];
