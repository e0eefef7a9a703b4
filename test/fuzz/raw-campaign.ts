// Sends mutated requests over separate sockets, many concurrently: pipelined, in chunks, cut off and reset. Compares
// every reply with the OpenAPI document, and the memory of the server at the end with a bound. How bytes are delivered
// to the server: at once, in chunks, cut off, reset at any moment, or without reading the replies.

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../campaign/campaign.ts";
import { isAnswering, type Ask, type Reply } from "../support/http-client.ts";
import { buildOpenApi } from "../../src/process/openapi.ts";
import type { OpenApiDocument } from "../../src/http/openapi/document.ts";
import { makeOpenApiCheck } from "../support/openapi-check.ts";
import { readMemory } from "../support/process-memory.ts";
import { makeRandom, pickWeighted, type Random } from "../support/random.ts";
import type { ServerProcess } from "../support/server-process.ts";
import type { FuzzCase, Scene } from "./fuzz-case.ts";
import { checkReply } from "./check-writes.ts";
import { checkServer, withFuzzedServer } from "./fuzzed-server.ts";
import { makeCase } from "./make-case.ts";
import { rawMessage, type RawMessage } from "./raw-message.ts";
import { readAllReplies } from "../support/raw-replies.ts";

interface Figures {
  requests: number;
  connections: number;
  readonly byStatus: Record<string, number>;
  /** Replies that were compared with the OpenAPI document. */
  checked: number;
}

/** The first connection has the seed of the run, and each further one the next. */
export const fuzzRaw: Campaign<Figures> = {
  about: "sends unusual requests over raw sockets, many at once, and evaluates the replies",
  counts: "requests",
  countDefault: 100_000,
  engines: ["sqlite"],
  run: (run) =>
    withFuzzedServer(environment, async (server, scene) => {
      const raw = new RawRun(server, scene, { document: buildOpenApi(), run });
      await raw.sendAll();
      return raw;
    }),
};

const parallel = 24;
const pipelinedMax = 24;
const findingsMax = 20;
const residentBytesMax = 600 * 1_000_000;
const shownCharacters = 1_500;
const progressEvery = 20_000;
const environment = {
  // Enabled, so that replies have its headers; and each message may name its client address.
  RATE_LIMIT_PER_SECOND: "1000000",
  TRUST_PROXY: "127.0.0.1",
};

class RawRun implements CampaignOutcome<Figures> {
  readonly findings: string[] = [];
  readonly figures: Figures = { requests: 0, connections: 0, byStatus: {}, checked: 0 };
  readonly #server: ServerProcess;
  readonly #scene: Scene;
  readonly #run: CampaignRun;
  readonly #document: OpenApiDocument;
  readonly #check: (ask: Ask, reply: Reply) => void;
  readonly #isOver: (done: number) => boolean;
  #progressAt = progressEvery;

  constructor(
    server: ServerProcess,
    scene: Scene,
    { document, run }: { document: OpenApiDocument; run: CampaignRun },
  ) {
    this.#server = server;
    this.#scene = scene;
    this.#run = run;
    this.#document = document;
    this.#check = makeOpenApiCheck(document);
    this.#isOver = makeLimit(run);
  }

  async sendAll(): Promise<void> {
    await Promise.all(Array.from({ length: parallel }, () => this.#sendInTurn()));
    this.findings.push(...(await checkServer(this.#server, new Set())));
    const { residentBytes = 0 } = readMemory(this.#server.child.pid ?? 0);
    if (residentBytes > residentBytesMax) this.findings.push(`${residentBytes} bytes are resident`);
  }

  async #sendInTurn(): Promise<void> {
    const { seed, tell } = this.#run;
    while (
      !this.#isOver(this.figures.requests) &&
      this.findings.length < findingsMax &&
      this.#server.child.exitCode === null &&
      this.#server.child.signalCode === null
    ) {
      const messages = makeMessages(this.#scene, seed + this.figures.connections);
      this.figures.connections += 1;
      this.figures.requests += messages.length;
      await this.#exchange(messages, seed + this.figures.connections - 1);
      if (this.figures.requests >= this.#progressAt) {
        this.#progressAt += progressEvery;
        tell(`${this.figures.requests} requests`);
      }
      await this.#requireAnswer();
    }
  }

  /** A server that does not answer after a case is a finding, with what it printed, even if it is alive. */
  async #requireAnswer(): Promise<void> {
    const { child, address } = this.#server;
    if (await isAnswering(address)) return;
    const state = `exit code ${child.exitCode}, signal ${child.signalCode}`;
    this.findings.push(`nothing is answered; ${state}; ${this.#server.output().err}`);
    child.kill("SIGKILL");
  }

  async #exchange(messages: readonly Sent[], seed: number): Promise<void> {
    const { port } = new URL(this.#server.address);
    const bytes = Buffer.concat(messages.map(({ message }) => message.bytes));
    const got = await deliver(Number(port), bytes, makeRandom(seed ^ 0x5eed));
    const { replies, rest } = readAllReplies(got.bytes, knownMethods(messages));
    const faults = got.isStuck ? ["the connection was left open"] : [];
    // A reply that has begun when its request proves to be broken can only be cut off.
    const isSound = messages.every(({ message }) => message.isFramed);
    const isReply = rest.toString("latin1", 0, 9) === "HTTP/1.1 ";
    // A head that is too large in several packets: the server does not know that the method was HEAD.
    const isOfHead = replies.at(-1)?.status === 431 && rest.toString("latin1", 0, 1) === "{";
    if (rest.length > 0 && got.isWhole && (isSound || !isReply) && !isOfHead) {
      faults.push(`what is no reply: ${rest.toString("latin1", 0, 300)}`);
    }
    // After a message whose end is ambiguous, it is unknown which request a reply answers.
    let isKnown = true;
    for (const [index, reply] of replies.entries()) {
      this.figures.byStatus[reply.status] = (this.figures.byStatus[reply.status] ?? 0) + 1;
      const sent = messages[index];
      faults.push(...this.#evaluate(reply, isKnown ? sent : undefined));
      isKnown &&= sent?.message.isFramed === true;
    }
    if (faults.length === 0) return;
    const shown = JSON.stringify(bytes.toString("latin1", 0, shownCharacters));
    this.findings.push(`connection ${seed}: ${faults.join("; ")}\n  sent ${shown}`);
  }

  #evaluate(reply: Reply, sent: Sent | undefined): readonly string[] {
    const ask = sent?.message.ask;
    const raw = Buffer.alloc(0);
    const isUnknown = ask === undefined || sent === undefined;
    const known = isUnknown ? { ...unknownCase, raw } : sent.made;
    const expected = new Set(["a 503", ...(isUnknown ? ["no body"] : [])]);
    const faults = checkReply(known, reply).filter((fault) => !expected.has(fault));
    // For a request that was cut off only the status is known.
    const isHttpFault =
      [40_003, 40_801, 43_101].includes(reply.body.code ?? 0) ||
      (ask?.method === "HEAD" && reply.status === 400);
    const path = ask?.path.split("?", 1)[0] ?? "";
    const method = ask?.method === "HEAD" ? "get" : (ask?.method.toLowerCase() ?? "");
    const isKnown = method in (this.#document.paths[path] ?? {});
    if (ask === undefined || isHttpFault || !isKnown) return faults;
    this.figures.checked += 1;
    try {
      this.#check(ask, reply);
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
    return faults;
  }
}

interface Sent {
  readonly made: FuzzCase;
  readonly message: RawMessage;
}

const unknownCase = { what: "", ask: { method: "", path: "" }, authorized: false } as const;

/** What one connection sends, generated from its seed alone. */
function makeMessages(scene: Scene, seed: number): readonly Sent[] {
  const random = makeRandom(seed);
  const corrupt = random.pick([0, 0.1, 0.4]);
  // What follows a corrupted message is often never read.
  const count = random.chance(0.3) ? 1 : random.integer(2, corrupt === 0 ? pipelinedMax : 4);
  const messages: Sent[] = [];
  for (let index = 0; index < count; index += 1) {
    const made = makeCase(scene, seed * pipelinedMax + index);
    const message = messageOf(made, random, corrupt);
    messages.push({ made, message });
    if (corrupt === 0 && !message.isFramed) break;
  }
  return messages;
}

function messageOf(made: FuzzCase, random: Random, corrupt: number): RawMessage {
  if (made.raw === undefined) {
    const from = {
      "x-forwarded-for": `10.${[0, 0, 0].map(() => random.integer(0, 255)).join(".")}`,
    };
    const { headers } = made.ask;
    return rawMessage({ ...made.ask, headers: { ...from, ...headers } }, random, corrupt);
  }
  return { bytes: made.raw, ask: undefined, isFramed: false };
}

/** Up to the first message whose end is ambiguous. */
function knownMethods(messages: readonly Sent[]): readonly (string | undefined)[] {
  const first = messages.findIndex(({ message }) => !message.isFramed);
  return messages.slice(0, first === -1 ? messages.length : first + 1).map(methodOf);
}

/** Undefined if the message does not begin with a method: then it may be no request at all. */
function methodOf({ message }: Sent): string | undefined {
  return /^[\r\n]*([A-Z]+) /.exec(message.bytes.toString("latin1", 0, 40))?.[1];
}

interface Delivered {
  readonly bytes: Buffer;
  /**
   * Whether everything was sent and the client read until the server closed, so that all replies
   * have to be complete.
   */
  readonly isWhole: boolean;
  /** The server left the connection open for too long. */
  readonly isStuck: boolean;
}

const stuckAfterMs = 30_000;
const piecesMax = 8;

type Way = "whole" | "pieces" | "cut" | "reset" | "unread";

const ways: readonly (readonly [weight: number, way: Way])[] = [
  [60, "whole"],
  [14, "pieces"],
  [8, "cut"],
  [14, "reset"],
  [4, "unread"],
];

/** Never rejects: the server may end a connection with an error. */
async function deliver(port: number, bytes: Buffer, random: Random): Promise<Delivered> {
  const way = pickWeighted(random, ways);
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  const chunks: Buffer[] = [];
  let wasReset = false;
  let isStuck = false;
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => (wasReset = true));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const timer = setTimeout(() => {
    isStuck = true;
    socket.destroy();
  }, stuckAfterMs);
  const cut = way === "cut" || way === "reset" ? random.integer(0, bytes.length) : bytes.length;
  if (way === "unread") socket.pause();
  for (const piece of piecesOf(bytes.subarray(0, cut), way, random)) {
    socket.write(piece);
    if (way !== "whole") await sleep(random.integer(0, 2));
  }
  if (way === "reset" || way === "unread") {
    await sleep(random.integer(0, 6));
    socket.resetAndDestroy();
  } else socket.end();
  await closed;
  clearTimeout(timer);
  const isWhole = (way === "whole" || way === "pieces") && !wasReset && !isStuck;
  return { bytes: Buffer.concat(chunks), isWhole, isStuck };
}

function piecesOf(bytes: Buffer, way: Way, random: Random): readonly Buffer[] {
  if (way === "whole" || way === "unread") return [bytes];
  const count = random.integer(1, piecesMax);
  const ends = Array.from({ length: count - 1 }, () => random.integer(0, bytes.length));
  const sorted = [0, ...ends, bytes.length].toSorted((one, other) => one - other);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}
