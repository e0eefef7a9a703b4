// Sends requests over connections that stay open, one at a time over each. Costs a fraction of what an HTTP client
// does, and its replies include the order and the spelling of headers.

import { connect, type Socket } from "node:net";
import { type Ask, type Reply, urlOf } from "../support/http-client.ts";
import { parseReply } from "../support/raw-replies.ts";

export interface WireReply extends Reply {
  /** The status line and the headers as they arrived. */
  readonly head: string;
}

/** The connection ended before a complete reply: nobody knows whether the request was executed. */
export class ConnectionLost extends Error {}

export class Wire {
  readonly #address: URL;
  readonly #free: WireConnection[] = [];

  constructor(address: string) {
    this.#address = new URL(address);
  }

  /** Throws ConnectionLost. */
  async send(ask: Ask): Promise<WireReply> {
    let connection = this.#free.pop();
    while (connection?.isOpen === false) connection = this.#free.pop();
    connection ??= new WireConnection(this.#address);
    const reply = await connection.exchange(requestText(ask, this.#address));
    this.#free.push(connection);
    return reply;
  }

  close(): void {
    for (const connection of this.#free.splice(0)) connection.close();
  }
}

function requestText(ask: Ask, { host }: URL): string {
  const { method, token, headers = {}, body } = ask;
  const content = body === undefined ? "" : JSON.stringify(body);
  const fields = {
    host,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    "content-length": Buffer.byteLength(content),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  const target = urlOf("", ask);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${content}`;
}

class WireConnection {
  readonly #socket: Socket;
  #received = "";
  #waiting: PromiseWithResolvers<WireReply> | undefined;

  constructor({ hostname, port }: URL) {
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (text: string) => this.#take(text));
    this.#socket.on("error", (cause) => this.#lose(cause));
    this.#socket.on("close", () => this.#lose());
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  exchange(request: string): Promise<WireReply> {
    const waiting = Promise.withResolvers<WireReply>();
    this.#waiting = waiting;
    this.#socket.write(request);
    return waiting.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf("\r\n\r\n");
    if (end === -1) return;
    const head = this.#received.slice(0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < end + 4 + length) return;
    const reply = parseReply(this.#received);
    this.#received = "";
    this.#waiting?.resolve({ ...reply, head });
    this.#waiting = undefined;
  }

  #lose(cause?: Error): void {
    this.#socket.destroy();
    this.#waiting?.reject(new ConnectionLost("a connection ended before a reply", { cause }));
    this.#waiting = undefined;
  }
}
