// Slow clients: with headers, with bodies, with reading replies, or with everything.

import type { Abuse, AbuseContext, Title } from "../abuse.ts";
import { listOf } from "../records.ts";
import { flood, holdConnections, requestBytes } from "../sending.ts";

function slowly(
  [name, what]: Title,
  connections: number,
  headOf: (context: AbuseContext) => string,
): Abuse {
  return {
    name,
    what,
    prepare: (context) => ({
      run: () =>
        holdConnections(
          context,
          { connections: context.amount(connections, 100), addresses: 4 },
          async (socket) => {
            const bytes = headOf(context);
            socket.write(bytes);
            while (context.mayGoOn() && socket.isOpen) {
              await context.pause(500);
              socket.write("x");
            }
            socket.close();
          },
        ),
    }),
  };
}

function bodyHead({ target }: AbuseContext, length: number): string {
  return (
    `POST /v2/transactions/batch HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${target.token}\r\n` +
    `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n[`
  );
}

const largeBodyBytes = 16 * 1_024 * 1_024;

/** Sent in chunks of 64 KB, as over a slow line; each at another speed. */
const trickledBodies: Abuse = {
  name: "trickled-bodies",
  what: "100 bodies of 16 MiB, sent in chunks",
  prepare: (context) => {
    const piece = Buffer.alloc(64 * 1_024, "1,");
    return {
      run: () =>
        holdConnections(
          context,
          { connections: context.amount(100, 20) },
          async (socket, index) => {
            socket.write(bodyHead(context, largeBodyBytes));
            while (context.mayGoOn() && socket.isOpen) {
              await socket.writeWhole(piece);
              await context.pause(index % 20);
            }
            socket.close();
          },
        ),
    };
  },
};

/** Requests as much as it can without reading any of it. */
function unread(
  [name, what]: Title,
  connections: number,
  requestOf: (context: AbuseContext) => Buffer,
): Abuse {
  return {
    name,
    what,
    prepare: (context) => {
      const request = requestOf(context);
      return {
        run: () =>
          holdConnections(
            context,
            { connections: context.amount(connections, 30), addresses: 4 },
            async (socket) => {
              socket.socket.pause();
              while (context.mayGoOn() && socket.isOpen) {
                await socket.writeWhole(request);
                await context.pause(20);
              }
              socket.close();
            },
          ),
      };
    },
  };
}

const idle: Abuse = {
  name: "idle-connections",
  what: "5,000 connections that send nothing",
  prepare: (context) => ({
    run: () =>
      holdConnections(
        context,
        { connections: context.amount(5_000, 500), addresses: 4 },
        async (socket) => {
          while (context.mayGoOn() && socket.isOpen) await context.pause(100);
          socket.close();
        },
      ),
  }),
};

/** More than may be open, so that each new one closes one that is idle. */
const crowd: Abuse = {
  name: "too-many-connections",
  what: "12,000 connections from 8 addresses",
  prepare: (context) => ({
    run: () =>
      holdConnections(
        context,
        { connections: context.amount(12_000, 600), addresses: 8 },
        async (socket) => {
          socket.write("GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n");
          while (context.mayGoOn() && socket.isOpen) await context.pause(100);
          socket.close();
        },
      ),
  }),
};

const churn: Abuse = {
  name: "connection-churn",
  what: "a connection per request, as many as possible",
  prepare: (context) => ({
    run: () =>
      flood(context, { connections: context.amount(64, 16), addresses: 4 }, () =>
        requestBytes("GET", "/health/live", { headers: { connection: "close" } }),
      ),
  }),
};

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
  trickledBodies,
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
  idle,
  crowd,
  churn,
];
