// Receivers of events on loopback for tests: of OTLP logs, and of syslog over TCP and TLS. They keep what they receive.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttp, type ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import type { Certificates } from "./certificates.ts";

/** The attributes of a record without their prefix. */
export interface LogRecord {
  readonly name: string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

export interface OtlpReceiver {
  readonly endpoint: string;
  readonly records: LogRecord[];
  readonly bodies: string[];
  readonly headers: Readonly<Record<string, string>>[];
  /** Replaces the answer, an empty success. What it does not accept is kept, too. */
  answer(reply: (response: ServerResponse, number: number) => void): void;
  close(): Promise<void>;
}

export function accept(response: ServerResponse, body = "{}"): void {
  response.writeHead(200, { "content-type": "application/json" }).end(body);
}

function acceptAny(response: ServerResponse): void {
  accept(response);
}

/** `port`: the port of an earlier receiver, to replace it. */
export async function startOtlp(port = 0): Promise<OtlpReceiver> {
  const records: LogRecord[] = [];
  const bodies: string[] = [];
  const headers: Readonly<Record<string, string>>[] = [];
  let reply: (response: ServerResponse, number: number) => void = acceptAny;
  let requests = 0;
  const server = createHttp((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      bodies.push(body);
      headers.push(request.headers as Record<string, string>);
      records.push(...readRecords(body));
      requests += 1;
      reply(response, requests);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs`,
    records,
    bodies,
    headers,
    answer: (other) => (reply = other),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: string;
    readonly arrayValue?: { readonly values: readonly { readonly stringValue: string }[] };
  };
}

function readRecords(body: string): readonly LogRecord[] {
  const { resourceLogs } = JSON.parse(body) as {
    resourceLogs: {
      scopeLogs: {
        logRecords: { body: { stringValue: string }; attributes: readonly Attribute[] }[];
      }[];
    }[];
  };
  return resourceLogs
    .flatMap(({ scopeLogs }) => scopeLogs)
    .flatMap(({ logRecords }) => logRecords)
    .map(({ body: { stringValue: name }, attributes }) => ({
      name,
      fields: Object.fromEntries(
        attributes.map(({ key, value: { stringValue, intValue, arrayValue } }) => [
          key.replace(/^sluice\./, ""),
          stringValue ?? intValue ?? arrayValue?.values.map((one) => one.stringValue) ?? "",
        ]),
      ),
    }));
}

export interface SyslogMessage {
  readonly head: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface SyslogReceiver {
  readonly port: number;
  /** Complete frames in the order of arrival. */
  readonly messages: SyslogMessage[];
  /** Connections so far. */
  readonly connections: number;
  close(): Promise<void>;
}

interface SyslogOptions {
  readonly port?: number;
  readonly certificates?: Certificates;
  /** Replaces the reading of a connection, which takes everything and ends when the sender does. */
  readonly serve?: (socket: Socket, take: (bytes: Buffer) => number) => void;
}

export async function startSyslog({
  port = 0,
  certificates,
  serve,
}: SyslogOptions = {}): Promise<SyslogReceiver> {
  const messages: SyslogMessage[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const onSocket = (socket: Socket): void => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    let rest: Buffer = Buffer.alloc(0);
    const take = (bytes: Buffer): number => {
      rest = Buffer.concat([rest, bytes]);
      const read = readFrames(rest);
      rest = read.rest;
      messages.push(...read.messages);
      return read.messages.length;
    };
    if (serve !== undefined) serve(socket, take);
    else socket.on("data", take);
  };
  const server: Server =
    certificates === undefined
      ? createServer(onSocket)
      : createTls(
          { cert: readFileSync(certificates.server), key: readFileSync(certificates.serverKey) },
          onSocket,
        );
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    get connections() {
      return connections;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Octet counting: the length, a space, the message. */
function readFrames(bytes: Buffer): { messages: SyslogMessage[]; rest: Buffer } {
  const messages: SyslogMessage[] = [];
  let rest = bytes;
  for (;;) {
    const space = rest.indexOf(" ");
    const length = Number(rest.subarray(0, space));
    if (space < 0 || rest.length < space + 1 + length) return { messages, rest };
    const text = rest.subarray(space + 1, space + 1 + length).toString("utf8");
    const at = text.indexOf("{");
    const fields = JSON.parse(text.slice(at)) as Record<string, unknown>;
    messages.push({ head: text.slice(0, at), fields });
    rest = rest.subarray(space + 1 + length);
  }
}
