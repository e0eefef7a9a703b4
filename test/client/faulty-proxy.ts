// A proxy between a client and servers, used in turn, that corrupts requests and replies as
// networks do. Speaks HTTP/1.1 byte by byte, so that it can also send what no HTTP library would.

import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Fault =
  | "none"
  /** The connection ends before the request is passed on. */
  | "drop request"
  /** The request is passed on, and the connection ends without its reply. */
  | "drop reply"
  /** The reply is delayed by `delayMs`. */
  | "delay"
  /** The reply is truncated in its body, and the connection ends. */
  | "truncate"
  /** The same, but the reply claims to be complete. */
  | "shorten"
  /** The reply is sent twice. */
  | "double"
  /** The reply is sent once more before the reply to the next request. */
  | "double late"
  /** The request is passed on twice concurrently; the first reply is returned. */
  | "repeat"
  /** The request is not passed on. */
  | "bad gateway"
  /** The request is not passed on, but claimed to have succeeded. */
  | "other reply"
  /** Interim replies come before the reply. */
  | "interim"
  /** The request is passed on, and the reply dropped. */
  | "gateway timeout";

export const faults: readonly Exclude<Fault, "none">[] = [
  "drop request",
  "drop reply",
  "delay",
  "truncate",
  "shorten",
  "double",
  "double late",
  "repeat",
  "bad gateway",
  "gateway timeout",
  "other reply",
  "interim",
];

export type Choose = (passing: Passing) => Fault;

export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Which attempt of its call it is; the client says so in the id of the request. */
export function attemptOf({ headers }: Passing): number {
  return Number(headers["x-request-id"]?.split(".").at(-1));
}

export interface FaultyProxy {
  readonly address: string;
  /** Every request that arrived, with the fault that was applied. */
  readonly seen: readonly (Passing & { readonly fault: Fault })[];
  close(): Promise<void>;
}

export interface ProxyOptions {
  readonly choose: Choose;
  readonly delayMs: number;
}

export async function startFaultyProxy(
  targets: readonly string[],
  { choose, delayMs }: ProxyOptions,
): Promise<FaultyProxy> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const nextTarget = (): string => targets[(turn += 1) % targets.length] ?? "";
  const seen: (Passing & { fault: Fault })[] = [];
  const open = new Set<Socket>();
  const listener = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => undefined);
    let late: Buffer | undefined;
    readRequests(socket, async (passing) => {
      const fault = choose(passing);
      seen.push({ ...passing, fault });
      if (late !== undefined) socket.write(late);
      late = undefined;
      const pass = () => passOn(nextTarget(), agent, passing);
      const keep = (reply: Buffer): void => void (late = reply);
      await acts[fault]({ socket, delayMs, pass, keep });
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const bound = listener.address();
  if (bound === null || typeof bound === "string") throw new Error("the proxy has no port");
  return {
    address: `http://127.0.0.1:${bound.port}`,
    seen,
    close: async () => {
      for (const socket of open) socket.destroy();
      agent.destroy();
      listener.close();
      await once(listener, "close");
    },
  };
}

interface Act {
  readonly socket: Socket;
  readonly delayMs: number;
  /** The complete reply, as bytes. */
  readonly pass: () => Promise<Buffer>;
  /** For the next request on this connection. */
  readonly keep: (reply: Buffer) => void;
}

const acts: Readonly<Record<Fault, (act: Act) => Promise<void>>> = {
  none: async ({ socket, pass }) => void socket.write(await pass()),
  "drop request": async ({ socket }) => void socket.destroy(),
  "drop reply": async ({ socket, pass }) => {
    await pass();
    socket.destroy();
  },
  delay: async ({ socket, pass, delayMs }) => {
    const reply = await pass();
    await Promise.race([once(socket, "close"), sleep(delayMs, undefined, { ref: false })]);
    socket.write(reply);
  },
  truncate: async ({ socket, pass }) => {
    const reply = await pass();
    const { headEnd, length } = lengthsOf(reply);
    socket.end(reply.subarray(0, headEnd + Math.floor(length / 2)));
  },
  shorten: async ({ socket, pass }) => void socket.write(shortened(await pass())),
  double: async ({ socket, pass }) => {
    const reply = await pass();
    socket.write(Buffer.concat([reply, reply]));
  },
  "double late": async ({ socket, pass, keep }) => {
    const reply = await pass();
    keep(reply);
    socket.write(reply);
  },
  repeat: async ({ socket, pass }) => {
    const [first, second] = [pass(), pass()];
    socket.write(await Promise.race([first, second]));
    await Promise.all([first, second]);
  },
  "bad gateway": async ({ socket }) => void socket.write(page("502 Bad Gateway")),
  "gateway timeout": async ({ socket, pass }) => {
    await pass();
    socket.write(page("504 Gateway Timeout"));
  },
  "other reply": async ({ socket }) => void socket.write(page("200 OK", '{"ok":true}')),
  interim: async ({ socket, pass }) => {
    const reply = await pass();
    const hints = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
    socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 102 Processing\r\n\r\n${hints}`), reply]));
  },
};

function page(status: string, text = `<html><h1>${status}</h1></html>`): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: text/html\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

function lengthsOf(reply: Buffer): { headEnd: number; length: number } {
  const headEnd = reply.indexOf("\r\n\r\n") + 4;
  return { headEnd, length: reply.length - headEnd };
}

function shortened(reply: Buffer): Buffer {
  const { headEnd, length } = lengthsOf(reply);
  const half = Math.floor(length / 2);
  const head = reply.subarray(0, headEnd).toString("latin1");
  const lying = head.replace(/content-length: \d+/i, `content-length: ${half}`);
  return Buffer.concat([Buffer.from(lying, "latin1"), reply.subarray(headEnd, headEnd + half)]);
}

/**
 * Requests one after another, delimited by their body lengths. The fault of one ends before the
 * next.
 */
function readRequests(socket: Socket, take: (passing: Passing) => Promise<void>): void {
  let bytes = Buffer.alloc(0);
  let turn = Promise.resolve();
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let found = readRequest(bytes); found !== undefined; found = readRequest(bytes)) {
      const { passing, end } = found;
      bytes = bytes.subarray(end);
      turn = turn.then(() => take(passing)).catch(() => void socket.destroy());
    }
  });
}

function readRequest(bytes: Buffer): { passing: Passing; end: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [start = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const from = headEnd + 4;
  const end = from + Number(headers["content-length"] ?? 0);
  if (bytes.length < end) return undefined;
  const [method = "", path = ""] = start.split(" ");
  return { passing: { method, path, headers, body: bytes.subarray(from, end) }, end };
}

function passOn(target: string, agent: Agent, passing: Passing): Promise<Buffer> {
  const { method, path, body } = passing;
  const { host: _host, connection: _connection, ...headers } = passing.headers;
  return new Promise((resolve, reject) => {
    const sending = request(target + path, { method, headers, agent }, (response) => {
      readReply(response).then(resolve, reject);
    });
    sending.on("error", reject);
    sending.end(body);
  });
}

async function readReply(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const fields: string[] = [];
  for (let index = 0; index < response.rawHeaders.length; index += 2) {
    fields.push(`${response.rawHeaders[index]}: ${response.rawHeaders[index + 1]}\r\n`);
  }
  const head = `HTTP/1.1 ${response.statusCode} ${response.statusMessage}\r\n${fields.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), ...chunks]);
}
