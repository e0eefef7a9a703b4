// The conformance tests of Durable Streams, those that only read, against the feed of a service. They are installed for
// a run: with the test runner that they need they are 80 packages, of which nothing else here has a use. Lets the
// conformance tests of Durable Streams read the feed of a real service. They create streams and append to them, which
// the service has no operations for: the adapter creates an organization for each stream, and adds a record for each
// message, over the API. Reads are passed on, and so are the statuses and headers of their replies; of each event only
// the message is returned, which is a field of its record. The conformance tests of Durable Streams that do not apply
// to the feed of changes, and why. The feed has the read part of the protocol.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Campaign, CampaignOutcome, CampaignRun } from "../campaign/campaign.ts";
import { withServicesOn } from "../support/database-maker.ts";
import { run as runCommand } from "../generated/client-maker.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { type Service, startService } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { makeRecordGenerator, type RecordGenerator } from "../support/record-generator.ts";
import { listPathOf, typeNamed } from "../contract/scene.ts";

const packages = ["@durable-streams/server-conformance-tests@0.3.6", "vitest@4.1.12"];
/** A long poll without news takes 20 seconds. */
const testMs = 40_000;

export const durableStreams: Campaign = {
  about: "runs the conformance tests of Durable Streams that read; installs them from npm",
  counts: "run",
  countDefault: 1,
  engines: ["sqlite", "postgres"],
  run: runSuite,
};

interface Result {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

async function runSuite({ engine }: CampaignRun): Promise<CampaignOutcome> {
  const folder = makeTempFolder();
  const results = await withServicesOn(engine, async () => {
    const service = await startService({ clock: { ...makeFakeClock(), now: Date.now } });
    const adapter = await startAdapter(service);
    try {
      return await readAll(folder, adapter.address);
    } finally {
      adapter.stop();
      await service.stop();
    }
  });
  removeFolder(folder);
  const names = results.map(({ fullName }) => fullName);
  const unused = notApplicable
    .flatMap(({ tests }) => tests)
    .filter((part) => !names.some((name) => new RegExp(part).test(name)));
  const applicable = results.filter(({ status }) => status !== "skipped");
  const failed = applicable.filter(({ status }) => status !== "passed");
  return {
    figures: { passed: applicable.length - failed.length, failed: failed.length, of: names.length },
    findings: [
      ...failed.map(({ fullName, failureMessages: [first] }) => `${fullName}: ${first ?? ""}`),
      ...unused.map((part) => `No test is called ${part}.`),
    ],
  };
}

async function readAll(folder: string, address: string): Promise<readonly Result[]> {
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
  writeFileSync(
    join(folder, "read.test.js"),
    `import { runConformanceTests } from "@durable-streams/server-conformance-tests";\n` +
      `runConformanceTests(${JSON.stringify({ baseUrl: address })});\n`,
  );
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  await runCommand(folder, "npm", ...install, ...packages);
  const left = notApplicable
    .flatMap(({ tests }) => tests)
    .map((part) => (part.startsWith("^") ? part.slice(1) : `.*${part}`));
  const words = [`--testTimeout=${testMs}`, "--reporter=json", "--outputFile=results.json"];
  const applied = ["-t", `^(?!${left.join("|")})`];
  // It fails if any test does, which the results say better.
  await runCommand(folder, "npx", "vitest", "run", ...words, ...applied).catch(() => undefined);
  const { testResults } = JSON.parse(readFileSync(join(folder, "results.json"), "utf8")) as {
    testResults: readonly { readonly assertionResults: readonly Result[] }[];
  };
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}

/** A stream of the tests. */
interface Stream {
  readonly customer: Customer;
  readonly contentType: string;
}

interface Adapter {
  readonly address: string;
  stop(): void;
}

interface Event {
  readonly data: { readonly additional_properties: readonly [{ readonly value: string }] };
}

const transaction = typeNamed("transaction");
/** Headers of one connection. Another one has its own. */
const ofTransfer = new Set(["connection", "keep-alive", "transfer-encoding", "content-length"]);

async function startAdapter(service: Service): Promise<Adapter> {
  const adapter = new StreamAdapter(service);
  const listener = createServer((request, response) => {
    adapter.answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    stop: () => {
      listener.close();
      listener.closeAllConnections();
    },
  };
}

class StreamAdapter {
  readonly #service: Service;
  readonly #records: RecordGenerator = makeRecordGenerator(1);
  readonly #streams = new Map<string, Stream>();

  constructor(service: Service) {
    this.#service = service;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/" } = request;
    const { pathname, search } = new URL(url, this.#service.address);
    const stream = this.#streams.get(pathname);
    if (method === "PUT") await this.#create(pathname, request, response);
    else if (stream === undefined) response.writeHead(404).end();
    else if (method === "POST") await this.#append(stream, request, response);
    else await this.#read(stream, { method, search }, { request, response });
  }

  async #create(
    pathname: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const contentType = request.headers["content-type"] ?? "application/octet-stream";
    const body = await buffer(request);
    const customer = await makeCustomer(this.#service.app, this.#service.client);
    const stream = { customer, contentType };
    this.#streams.set(pathname, stream);
    const headers = { ...(await this.#add(stream, body)), "content-type": contentType };
    response.writeHead(201, headers).end();
  }

  async #append(stream: Stream, request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.writeHead(204, await this.#add(stream, await buffer(request))).end();
  }

  /** Returns the end of the feed then. */
  async #add({ customer, contentType }: Stream, body: Buffer): Promise<Record<string, string>> {
    const { client } = this.#service;
    const { token } = customer;
    const records = messagesOf(body, contentType).map((value) =>
      this.#records.record(transaction, {
        additional_properties: [{ key: "message", value, type: "STRING" }],
      }),
    );
    if (records.length > 0) {
      const path = listPathOf(transaction);
      const reply = await client.send({ method: "POST", path, token, body: records });
      assert.equal(reply.body.write_count, records.length, reply.text);
    }
    const end = await client.send({ method: "HEAD", path: "/v2/changes", token });
    return { "stream-next-offset": String(end.headers["stream-next-offset"]) };
  }

  async #read(
    { customer, contentType }: Stream,
    { method, search }: { readonly method: string; readonly search: string },
    { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  ): Promise<void> {
    const leaving = new AbortController();
    response.once("close", () => leaving.abort());
    const query = `${search === "" ? "?" : `${search}&`}include=content`;
    const known = request.headers["if-none-match"];
    const reply = await fetch(`${this.#service.address}/v2/changes${query}`, {
      method,
      signal: leaving.signal,
      headers: {
        authorization: `Bearer ${customer.token}`,
        ...(known === undefined ? {} : { "if-none-match": known }),
      },
    });
    const headers = Object.fromEntries(
      [...reply.headers].filter(([name]) => !ofTransfer.has(name)),
    );
    if (headers["content-type"] === "application/json" && reply.ok) {
      headers["content-type"] = contentType;
    }
    response.writeHead(reply.status, headers);
    if (headers["content-type"] !== "text/event-stream" || reply.body === null) {
      const body = await reply.text();
      response.end(reply.status === 200 && body !== "" ? bodyOf(body, contentType) : body);
      return;
    }
    try {
      for await (const part of eventsOf(reply.body)) response.write(partOf(part, contentType));
      response.end();
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    }
  }
}

function isJson(contentType: string): boolean {
  return /^application\/json\b/i.test(contentType);
}

/** How a message is stored in a field. */
function encodingOf(contentType: string): "utf8" | "base64" {
  return isJson(contentType) || contentType.startsWith("text/") ? "utf8" : "base64";
}

/** A list that is appended to a stream of JSON is as many messages. */
function messagesOf(body: Buffer, contentType: string): readonly string[] {
  if (body.length === 0) return [];
  if (!isJson(contentType)) return [body.toString(encodingOf(contentType))];
  const value: unknown = JSON.parse(body.toString());
  return (Array.isArray(value) ? value : [value]).map((one) => JSON.stringify(one));
}

function bodyOf(list: string, contentType: string): Buffer {
  const values = (JSON.parse(list) as readonly Event[]).map(
    ({ data }) => data.additional_properties[0].value,
  );
  if (isJson(contentType)) return Buffer.from(`[${values.join(",")}]`);
  return Buffer.concat(values.map((value) => Buffer.from(value, encodingOf(contentType))));
}

/** The events of a stream of server-sent events, each with the empty line that ends it. */
async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) yield `${part}\n\n`;
  }
}

function partOf(part: string, contentType: string): string {
  const start = "event: data\ndata:";
  if (!part.startsWith(start)) return part;
  const message = bodyOf(part.slice(start.length), contentType).toString();
  const lines = message.split(/\r\n|\r|\n/);
  return `event: data\n${lines.map((line) => `data:${line}\n`).join("")}\n`;
}

interface NotApplicable {
  readonly why: string;
  /** Parts of the full names of the tests. */
  readonly tests: readonly string[];
}

const notApplicable: readonly NotApplicable[] = [
  {
    why: "The feed of an organization can't be forked.",
    tests: ["^Fork - "],
  },
  {
    why: "A feed is never closed.",
    tests: ["^Stream Closure "],
  },
  {
    why: "Events end when what they are about is erased, not after a time.",
    tests: ["^TTL ", "^HEAD Metadata Edge Cases "],
  },
  {
    why: "Records are written with operations of their own, which have an Idempotency-Key instead.",
    tests: [
      "^Idempotent Producer Operations ",
      "sequence ordering",
      "seq ordering",
      "seq values",
      "incrementing seq",
      "sequence numbers",
      "^HTTP Protocol should return correct headers on POST",
      "^HTTP Protocol should return 404 on POST",
      "content-type mismatch",
      "^Content-Type Validation should (enforce|allow)",
      "should reject empty POST body",
      "should reject missing Content-Type on POST",
      "^JSON Mode should reject",
      "should handle large payload",
      "POST responses",
    ],
  },
  {
    why: "Organizations are created and closed by operators.",
    tests: [
      "^Basic Stream Operations ",
      "on PUT",
      "on DELETE",
      "successful DELETE",
      "PUT responses",
      "idempotent (create|PUT)",
      "PUT without Content-Type",
      "Location header",
    ],
  },
  {
    why: "A token belongs to one organization, so no other feed can be named, nor one that does not exist.",
    tests: ["non-existent stream", "security headers on error responses"],
  },
  {
    why: "Events are JSON in one line: they have no line breaks, and need no base64.",
    tests: ["^SSE Mode .*(base64|binary|text/plain payloads|CRLF)", "chunk-size pagination"],
  },
  {
    why: "Pages of other origins may not read the feed.",
    tests: ["CORS preflight"],
  },
  {
    why: "The end has an offset of its own for each reader, so that it does not disclose what the reader may not know.",
    tests: [
      "correct tail offset for offset=now",
      "offset=now with (long-poll|SSE) mode",
      "SSE for empty stream with correct offset",
    ],
  },
];
