// How abusers send: requests as bytes, and loops over many connections.

import { isAnswering } from "../support/http-client.ts";
import type { Abuse, AbuseContext, Attack, Title } from "./abuse.ts";
import { AttackSocket, type AttackSocketOptions } from "./attack-socket.ts";

export interface RequestParts {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A complete request, as bytes. */
export function requestBytes(
  method: string,
  path: string,
  { token, headers = {}, body }: RequestParts = {},
): Buffer {
  const all: Record<string, string> = {
    host: "x",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": `${Buffer.byteLength(body)}` }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
  return body === undefined ? head : Buffer.concat([head, Buffer.from(body)]);
}

interface Flood extends AttackSocketOptions {
  readonly connections: number;
  /** The abuser's connections come from this many addresses. */
  readonly addresses?: number;
}

type Bytes = string | Uint8Array;

/** How many connections an abuse has: in a campaign, and in a short run. */
export interface Many {
  readonly connections: readonly [full: number, short: number];
  readonly addresses?: number;
}

/** Requests at full speed on many connections; `makeNext` returns what makes the next one. */
export function flooding(
  [name, what]: Title,
  { connections: [full, short], addresses = 1 }: Many,
  makeNext: (context: AbuseContext) => () => Bytes,
): Abuse {
  return {
    name,
    what,
    prepare: (context) => {
      const next = makeNext(context);
      const connections = context.amount(full, short);
      return { run: () => flood(context, { connections, addresses }, next) };
    },
  };
}

export interface Holding extends Many {
  /** False where replies are never read. */
  readonly reads?: boolean;
  /** The pause of the connection with this number before it sends again. */
  readonly pauseMs: (index: number) => number;
}

/** What a connection begins with, and what it then sends again and again. */
export interface Held {
  readonly first?: Bytes;
  readonly next?: () => Bytes;
}

/** Connections that stay open as long as the server lets them. */
export function holding(
  [name, what]: Title,
  { connections: [full, short], addresses = 4, reads = true, pauseMs }: Holding,
  make: (context: AbuseContext) => Held | Promise<Held>,
): Abuse {
  return {
    name,
    what,
    prepare: async (context) => {
      const { first = "", next } = await make(context);
      const connections = context.amount(full, short);
      return {
        run: () =>
          holdConnections(context, { connections, addresses }, async (socket, index) => {
            if (!reads) socket.socket.pause();
            await socket.writeWhole(first);
            while (context.mayGoOn() && socket.isOpen) {
              if (next !== undefined) await socket.writeWhole(next());
              await context.pause(pauseMs(index));
            }
            socket.close();
          }),
      };
    },
  };
}

/**
 * Each connection sends the next request when the previous one is answered, until the run is over.
 */
export async function flood(
  context: AbuseContext,
  { connections, addresses = 1 }: Flood,
  nextRequest: () => Bytes,
): Promise<void> {
  await eachConnection(connections, async (index) => {
    while (context.mayGoOn()) {
      const socket = new AttackSocket(context, { from: index % addresses });
      await sendInTurn(context, socket, nextRequest);
      // A refused one is tried again, but not at once: the abuser's own system has to keep up, too.
      await context.pause(10);
    }
  });
}

async function sendInTurn(
  context: AbuseContext,
  socket: AttackSocket,
  nextRequest: () => Bytes,
): Promise<void> {
  const stop = closeWhenOver(context, socket);
  if (await socket.opened) {
    while (context.mayGoOn() && socket.isOpen) {
      context.tally.sent += 1;
      const answered = socket.nextReply();
      socket.write(nextRequest());
      await answered;
    }
  }
  socket.close();
  await socket.closed;
  stop();
}

/**
 * Opens that many connections, calls `work` with each, and closes the remaining ones when the run
 * is over.
 */
export async function holdConnections(
  context: AbuseContext,
  { connections, addresses = 1 }: Flood,
  work: (socket: AttackSocket, index: number) => Promise<void> | void,
): Promise<void> {
  await eachConnection(connections, async (index) => {
    const socket = new AttackSocket(context, { from: index % addresses });
    const stop = closeWhenOver(context, socket);
    context.tally.sent += 1;
    if (await socket.opened) await work(socket, index);
    await socket.closed;
    stop();
  });
}

/** Sends the text on a new connection, repeatedly, and resets each after a moment. */
export async function sendAndReset(
  context: AbuseContext,
  { connections, addresses = 1 }: Flood,
  next: () => { readonly bytes: Bytes; readonly afterMs: number },
): Promise<void> {
  await eachConnection(connections, async (index) => {
    while (context.mayGoOn()) {
      const socket = new AttackSocket(context, { from: index % addresses });
      context.tally.sent += 1;
      const { bytes, afterMs } = next();
      if (await socket.opened) {
        socket.write(bytes);
        await context.pause(afterMs);
      }
      socket.reset();
      await socket.closed;
      await context.pause(1);
    }
  });
}

/**
 * Each user takes one item after another: every item at least once, however short the run is. After each, a request has
 * to be answered.
 */
export function usingEach<Item extends { readonly name: string }>(
  context: AbuseContext,
  items: readonly Item[],
  users: readonly ((item: Item) => Promise<void>)[],
): Attack {
  const unused = [...items];
  const findings: string[] = [];
  const run = async (use: (item: Item) => Promise<void>): Promise<void> => {
    do {
      const item = unused.pop() ?? context.random.pick(items);
      await use(item);
      if (!(await isAnswering(context.target.address))) {
        findings.push(`no request is answered after ${item.name}`);
      }
    } while (findings.length === 0 && (unused.length > 0 || context.mayGoOn()));
  };
  return {
    run: async () => void (await Promise.all(users.map(run))),
    check: () => Promise.resolve(findings),
  };
}

async function eachConnection(
  connections: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  await Promise.all(Array.from({ length: connections }, (_, index) => work(index)));
}

const checkMs = 50;

function closeWhenOver(context: AbuseContext, socket: AttackSocket): () => void {
  const timer = setInterval(() => {
    if (!context.mayGoOn()) socket.close();
  }, checkMs);
  return () => clearInterval(timer);
}
