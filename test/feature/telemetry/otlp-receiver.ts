// A receiver of OTLP over HTTP for tests: decodes what arrives with a library that the service does not use. Can also
// answer with an error, late or never.

import { readFileSync } from "node:fs";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import protobuf from "protobufjs";

const { root } = protobuf.parse(readFileSync(new URL("./otlp.proto", import.meta.url), "utf8"));

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startNano: bigint;
  readonly endNano: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  readonly flags: number;
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly spans: readonly ReceivedSpan[];
}

/** A status, never an answer, or one without an end. */
type Behaviour = { readonly status: number } | "hang" | "drip";

export interface OtlpReceiver {
  readonly url: string;
  /** What arrived and was accepted or rejected, in order. */
  readonly exports: readonly Received[];
  readonly spans: () => readonly ReceivedSpan[];
  /** From now on. */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const exports: Received[] = [];
  let behaviour: Behaviour = { status: 200 };
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    exports.push(await receive(request));
    if (behaviour === "hang") return;
    if (behaviour === "drip") {
      const dripping = setInterval(() => response.write("."), 50);
      response.once("close", () => clearInterval(dripping));
      return;
    }
    response.writeHead(behaviour.status).end();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    spans: () => exports.flatMap(({ spans }) => spans),
    behave: (next) => (behaviour = next),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * The official packages read the environment of the process. Returns a function that takes the variables away again.
 */
export function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  Object.assign(process.env, variables);
  return () => {
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
  };
}

async function receive(request: IncomingMessage): Promise<Received> {
  const { headers, url: path = "" } = request;
  const sent = await buffer(request);
  const body = headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
  const parts = list(decode(body), "resourceSpans");
  const resource = attributesOf((parts[0]?.["resource"] ?? {}) as Json);
  const spans = parts.flatMap((part) =>
    list(part, "scopeSpans").flatMap((scope) => list(scope, "spans").map(toSpan)),
  );
  return { path, headers, resource, spans };
}

type Json = Readonly<Record<string, unknown>>;

function decode(body: Uint8Array): Json {
  const found = root.lookupType("otlp.TraceRequest");
  return found.toObject(found.decode(body), { longs: String });
}

function list(message: Json, name: string): readonly Json[] {
  return (message[name] ?? []) as readonly Json[];
}

function toSpan(span: Json): ReceivedSpan {
  return {
    traceId: hex(span["traceId"]),
    spanId: hex(span["spanId"]),
    traceState: text(span["traceState"]),
    parentSpanId: hex(span["parentSpanId"]),
    name: text(span["name"]),
    kind: Number(span["kind"]),
    startNano: BigInt(text(span["startTimeUnixNano"])),
    endNano: BigInt(text(span["endTimeUnixNano"])),
    attributes: attributesOf(span),
    failed: (span["status"] as Json | undefined)?.["code"] === 2,
    flags: Number(span["flags"]),
  };
}

function attributesOf(holder: Json): Readonly<Record<string, unknown>> {
  const entries = list(holder, "attributes").map(({ key, value }) => [key, valueOf(value as Json)]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function valueOf({ stringValue, boolValue, intValue, doubleValue }: Json): unknown {
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}

function hex(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : text(value);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
