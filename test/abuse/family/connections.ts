// Connections that end at every point: in the headers, in the body, before and in the reply, after what is declined.

import { setTimeout as sleep } from "node:timers/promises";
import type { Abuse, AbuseContext, Title } from "../abuse.ts";
import { AttackSocket } from "../attack-socket.ts";
import { makeIds, transaction, listOf } from "../records.ts";
import { requestBytes, sendAndReset, usingEach } from "../sending.ts";

/** What is sent, and how long the client waits before it disconnects. */
type Step = (context: AbuseContext, id: string) => { bytes: Buffer; afterMs: number };

function leaving([name, what]: Title, step: Step): Abuse {
  return {
    name,
    what,
    prepare: (context) => {
      const nextId = makeIds(name);
      return {
        run: () =>
          sendAndReset(context, { connections: context.amount(64, 16), addresses: 4 }, () =>
            step(context, nextId()),
          ),
      };
    },
  };
}

function add({ target }: AbuseContext, id: string): Buffer {
  return requestBytes("POST", "/v2/transaction", { token: target.token, body: transaction(id) });
}

function cut({ random }: AbuseContext, bytes: Buffer): Buffer {
  return bytes.subarray(0, random.integer(1, bytes.length - 1));
}

/** What the server declines, and what may follow it on the connection. */
const declined = [
  ...["websocket", "h2c", ""].map(
    (protocol) => `${live("connection: upgrade")}upgrade: ${protocol}\r\n`,
  ),
  live("connection: upgrade, keep-alive, x"),
  live("expect: 100-continue"),
  live("expect: x"),
  "CONNECT x:1 HTTP/1.1\r\nhost: x\r\n",
];
const bodies = [
  "\r\n",
  "content-length: 1\r\n\r\nx",
  "transfer-encoding: chunked\r\n\r\n0\r\n\r\n",
];
const rests = ["", "xxxx", "GET / HTTP/1.1\r\nbad header\r\n\r\n", "\u0000", `${live("a: b")}\r\n`];
const declinedShapes = declined.flatMap((head) =>
  bodies.flatMap((body) =>
    rests.map((rest) => {
      const bytes = head + body + rest;
      return { name: JSON.stringify(bytes), bytes };
    }),
  ),
);

function live(header: string): string {
  return `GET /health/live HTTP/1.1\r\nhost: x\r\n${header}\r\n`;
}

const readMsMax = 10_000;

/** Resets the connection once the bytes were read, which a reply or the end of the connection shows. */
async function sendAndAwait(context: AbuseContext, bytes: string, from: number): Promise<void> {
  const socket = new AttackSocket(context, { from });
  context.tally.sent += 1;
  if (await socket.opened) {
    const isRead = Promise.race([socket.nextReply(), socket.closed]);
    socket.write(Buffer.from(bytes, "latin1"));
    await Promise.race([isRead, sleep(readMsMax, undefined, { ref: false })]);
  }
  socket.reset();
  await socket.closed;
}

const whatIsDeclined: Abuse = {
  name: "declined",
  what: "what is declined, with anything behind it, then a reset",
  prepare: (context) =>
    usingEach(
      context,
      declinedShapes,
      Array.from({ length: context.amount(64, 16) }, (_, index) => ({ bytes }) => {
        return sendAndAwait(context, bytes, index % 4);
      }),
    ),
};

export const connections: readonly Abuse[] = [
  whatIsDeclined,
  leaving(["reset-in-request", "connections that are reset within a request"], (context, id) => ({
    bytes: cut(context, add(context, id)),
    afterMs: context.random.integer(0, 5),
  })),
  leaving(["reset-in-reply", "connections that are reset around the reply"], (context, id) => ({
    bytes: add(context, id),
    afterMs: context.random.integer(0, 10),
  })),
  leaving(
    ["reset-in-list", "connections that are reset while a list is stored"],
    (context, id) => ({
      bytes: requestBytes("POST", "/v2/transactions/batch", {
        token: context.target.token,
        body: listOf(context.amount(2_000, 500), (index) => transaction(`${id}-${index}`)),
      }),
      afterMs: context.random.integer(0, 60),
    }),
  ),
  leaving(["expect-and-reset", "Expect: 100-continue, then a reset"], ({ target, random }) => ({
    bytes: requestBytes("POST", "/v2/transactions/batch", {
      token: target.token,
      headers: {
        "content-type": "application/json",
        "content-length": "1000000",
        expect: "100-continue",
      },
    }),
    afterMs: random.integer(0, 10),
  })),
  leaving(["header-flood", "headers beyond the bound"], ({ random }) => ({
    bytes: Buffer.from(
      `GET / HTTP/1.1\r\nhost: x\r\n${`a: ${"v".repeat(random.integer(0, 100))}\r\n`.repeat(5_000)}\r\n`,
    ),
    afterMs: random.integer(0, 20),
  })),
  leaving(["many-headers", "as many headers as fit"], ({ target }) => ({
    bytes: Buffer.from(
      `GET /v2/person?person_id=1 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${target.token}\r\n` +
        `${"a:b\r\n".repeat(1_900)}\r\n`,
    ),
    afterMs: 20,
  })),
  leaving(["long-targets", "targets of 15 KB of unusual escapes"], ({ target, random }) => ({
    bytes: requestBytes(
      "GET",
      `/v2/person?person_id=${random.pick(["%25", "%ff", "a&person_id=", "+"]).repeat(1_200)}`,
      { token: target.token },
    ),
    afterMs: 20,
  })),
];
