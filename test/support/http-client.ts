// A small HTTP client for tests: sends exactly what it is given and returns exactly what arrived.
// Evaluates nothing itself; an observer can evaluate every reply.

import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from "node:http";
import { request as requestOverTls } from "node:https";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string | undefined;
  /** Undefined leaves out a header that would be sent by default. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

export interface FieldFault {
  readonly field?: string;
  readonly message?: string;
}

export interface ItemOutcome {
  readonly index: number;
  readonly id?: string;
  readonly status: string;
  readonly code?: number;
  readonly message?: string;
  readonly errors?: readonly FieldFault[];
}

/** What bodies of replies may contain, so that tests can name it; none of it is guaranteed. */
export interface ReplyBody {
  readonly [field: string]: unknown;
  readonly code?: number;
  readonly message?: string;
  readonly errors?: readonly FieldFault[];
  readonly success?: boolean;
  readonly write_count?: number;
  readonly organization_id?: string;
  readonly results?: readonly ItemOutcome[];
  readonly token?: string;
  readonly expiry?: number;
  readonly first_seen?: string;
  readonly last_seen?: string;
  readonly deletion_request_id?: string;
  readonly status?: string | number;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body parsed as a JSON object; empty where it is not one. */
  readonly body: ReplyBody;
}

export type Observer = (ask: Ask, reply: Reply) => void;

export interface Client {
  readonly address: string;
  /** Rejects when the connection ends before a complete reply. */
  send(ask: Ask): Promise<Reply>;
  /** From now on every reply is passed to the observer; `send` rejects with what it throws. */
  observe(observer: Observer): void;
  close(): void;
}

/** For an https address, an agent of node:https that knows the authority. */
export function makeClient(address: string, agent = new Agent({ keepAlive: true })): Client {
  const observers: Observer[] = [];
  return {
    address,
    send: async (ask) => {
      const reply = await exchange(address, ask, agent);
      for (const observer of observers) observer(ask, reply);
      return reply;
    },
    observe: (observer) => {
      observers.push(observer);
    },
    close: () => agent.destroy(),
  };
}

const answerMsMax = 30_000;

/** Whether the server still answers: a process may be alive and answer nothing. */
export async function isAnswering(address: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    return (await fetch(`${address}/health/live`, { signal })).status === 200;
  } catch {
    return false;
  }
}

/** Sends it again for as long as the rate limit refuses it. */
export async function sendWithinLimit(client: Pick<Client, "send">, ask: Ask): Promise<Reply> {
  for (;;) {
    const reply = await client.send(ask);
    if (reply.status !== 429) return reply;
    await sleep(Number(reply.headers["retry-after"] ?? 1) * 1_000);
  }
}

function exchange(address: string, ask: Ask, agent: Agent): Promise<Reply> {
  const body = bodyBytes(ask.body);
  const open = address.startsWith("https:") ? requestOverTls : request;
  return new Promise((resolve, reject) => {
    const sending = open(
      urlOf(address, ask),
      { method: ask.method, agent, headers: headersOf(ask, body) },
      (response) => void readReply(response).then(resolve, reject),
    );
    sending.on("error", reject);
    sending.end(body);
  });
}

export async function readReply(response: IncomingMessage): Promise<Reply> {
  return makeReply(response.statusCode ?? 0, response.headers, await buffer(response));
}

export function urlOf(address: string, { path, query }: Ask): string {
  return query === undefined
    ? `${address}${path}`
    : `${address}${path}?${new URLSearchParams(query).toString()}`;
}

export function makeReply(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Reply {
  const text = bytes.toString("utf8");
  return { status, headers, bytes, text, body: readObject(text) };
}

function headersOf(ask: Ask, body: Buffer | undefined): OutgoingHttpHeaders {
  const headers: Record<string, string | readonly string[] | undefined> = {
    ...(ask.token === undefined ? {} : { authorization: `Bearer ${ask.token}` }),
    ...(body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": `${body.length}` }),
    ...ask.headers,
  };
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent) as OutgoingHttpHeaders;
}

export function bodyBytes(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function readObject(text: string): ReplyBody {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as ReplyBody) : {};
  } catch {
    return {};
  }
}
