// Streams of records (application/x-ndjson): one a line, any length, in bounded memory. Passes chunks to the bulk
// thread and its results to the client, in lines; never reports a line before its commit.

import { currentTimeOf } from "../../actions/app.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { identifyCaller } from "../../actions/access/identify-caller.ts";
import { freeMemory, ownsMemory } from "../../basics/own-memory.ts";
import { isConfidential } from "../../domain/confidentiality.ts";
import { AppError } from "../../domain/error.ts";
import type { WriteMode } from "../../domain/record/record-write.ts";
import type { OpenStream } from "../bulk/bulk-client.ts";
import type { StreamTally } from "../bulk/messages.ts";
import { clientGone } from "../connection/client-gone.ts";
import type { HttpContext } from "../http-context.ts";
import type { Reservation } from "../load/memory-budget.ts";
import { tokensOf, type Work } from "../load/work-tokens.ts";
import { brokenBody, decodedBody, requireRatio, windowBytesOf } from "../body/decoded-body.ts";
import { notStored, observeReply, sendHead } from "../reply/reply.ts";
import { type Handler, type HandlerInput, type Operation, requireType } from "../operation.ts";
import { waitForRoom } from "../reply/wait-for-room.ts";

/** Chunks that may be queued for the bulk thread, so that it never waits for the next one. */
const chunksAhead = 4;
/** A chunk is not made longer than this. */
const chunkBytes = 64 * 1_024;

/** How long the rest of a failed stream is read and discarded, so that the client receives the reply. */
const streamDiscardMs = 30_000;

export function makeWriteStream(
  context: HttpContext,
  operation: Operation,
  mode: WriteMode,
): Handler {
  return async (input) => {
    refuseIdempotencyKey(input);
    const { organizationId } = input.caller;
    context.load.shedding.admitStream();
    context.load.organizations.beginStream(organizationId);
    try {
      const source = decodedBody(input.request.raw);
      sendHead(input, operation.success, replyHeaders);
      const stream = new WriteStream(context, input, { operation, mode });
      const failure = await stream.run(source);
      if (failure !== undefined) await discardRest(input.request.raw, source);
      input.reply.raw.end();
      return undefined;
    } finally {
      context.load.organizations.endStream(organizationId);
    }
  };
}

/** Without a charset, as in every reply: NDJSON is always UTF-8. */
const replyHeaders = { "content-type": "application/x-ndjson", "cache-control": notStored };

class WriteStream {
  readonly #context: HttpContext;
  readonly #input: HandlerInput;
  readonly #operation: Operation;
  readonly #replyLines: ReplyLines;
  readonly #task: OpenStream;
  #replying: Promise<void> = Promise.resolve();
  /** When the organization has tokens again, if it has used more than it had. */
  #paidAt = 0;
  #stopped = false;
  readonly #reservations: Reservation[] = [];
  #windowBytes = 0;
  /** Chunks that are passed on, in their order; the first ones may be read. */
  readonly #ahead: Promise<void>[] = [];

  constructor(
    context: HttpContext,
    input: HandlerInput,
    { operation, mode }: { operation: Operation; mode: WriteMode },
  ) {
    this.#context = context;
    this.#input = input;
    this.#operation = operation;
    this.#replyLines = new ReplyLines(input.reply.raw);
    const { caller } = input;
    const { organizationId } = caller;
    const type = requireType(operation);
    const { timestampMin } = context.app;
    const receivedAt = currentTimeOf(context.app);
    this.#task = context.bulk.openStream(
      { resourceType: type.resourceType, mode, organizationId, receivedAt, timestampMin },
      ({ written, lines, lineCount, work }) => {
        if (!isConfidential(type, caller)) context.onRecordsWritten(type.resourceType, written);
        this.#charge(work);
        if (lineCount > 0) this.#reply(lines, lineCount);
      },
    );
  }

  async run(source: Readable): Promise<AppError | undefined> {
    const gone = clientGone(this.#input.reply.raw);
    let failure: unknown;
    try {
      await this.#feed(source, gone);
    } catch (error) {
      failure = error;
    }
    for (const reservation of this.#reservations) reservation.release();
    const { tally, error } = await this.#task.end(failure === undefined && !gone.aborted);
    await this.#replying;
    const cause = failure ?? error;
    const known = cause === undefined ? undefined : this.#asAppError(cause);
    this.#finish(tally, known);
    return known;
  }

  async #feed(source: Readable, gone: AbortSignal): Promise<void> {
    let decodedBytes = 0;
    for await (const chunk of chunksOf(source)) {
      decodedBytes += chunk.length;
      // A stream may last longer than its token or the API key is valid.
      await identifyCaller(this.#context.app, this.#input.request.headers.authorization);
      requireRatio(source, decodedBytes);
      await this.#reserveWindow(windowBytesOf(source), gone);
      await this.#waitForRoom(gone);
      if (this.#stopped || gone.aborted) return;
      this.#ahead.push(this.#pass(chunk));
    }
  }

  async #pass(chunk: Uint8Array<ArrayBuffer>): Promise<void> {
    if (!(await this.#task.write(chunk))) this.#stopped = true;
  }

  async #reserveWindow(bytes: number, gone: AbortSignal): Promise<void> {
    const more = bytes - this.#windowBytes;
    if (more <= 0) return;
    const { organizationId } = this.#input.caller;
    this.#windowBytes = bytes;
    this.#reservations.push(await this.#context.load.bodies.reserve(organizationId, more, gone));
  }

  async #waitForRoom(gone: AbortSignal): Promise<void> {
    while (this.#ahead.length >= chunksAhead) await this.#ahead.shift();
    await this.#replying;
    for (let owedMs = this.#paidAt - performance.now(); owedMs > 0 && !gone.aborted;) {
      await sleep(owedMs, undefined, { signal: gone }).catch(() => undefined);
      owedMs = this.#paidAt - performance.now();
    }
  }

  #charge(work: Work): void {
    const { rates } = this.#context;
    const { allowed, retryAfterSeconds } = rates.work(this.#input.caller, tokensOf(work));
    this.#paidAt = allowed ? 0 : performance.now() + retryAfterSeconds * 1_000;
  }

  #reply(lines: string, lineCount: number): void {
    this.#replying = this.#replying.then(() => this.#replyLines.write(lines, lineCount));
  }

  #finish(tally: StreamTally, failure: AppError | undefined): void {
    const { unlisted } = this.#replyLines;
    const { requestContext, caller } = this.#input;
    const read = "The stream was read to its end.";
    const hint = ` ${unlisted} refused lines are not listed, because the reply was not read while they were sent.`;
    this.#replyLines.writeLast({
      success: failure === undefined,
      write_count: tally.written,
      message: (failure?.message ?? read) + (unlisted === 0 ? "" : hint),
      organization_id: caller.organizationId,
      received: tally.received,
      unchanged: tally.unchanged,
      refused: tally.refused,
      ...(unlisted === 0 ? {} : { unlisted }),
      ...(failure === undefined ? {} : { code: failure.code }),
    });
    observeReply(this.#context, requestContext, this.#operation.success);
  }

  /** What was committed stays committed; the summary reports how far the stream was read, and why no further. */
  #asAppError(error: unknown): AppError {
    if (error instanceof AppError) return error;
    this.#context.log.error({ err: error, request_id: this.#input.request.id }, "a stream failed");
    return new AppError("internal");
  }
}

/** Does not destroy the source when it ends early, so that the rest of the request can still be read. */
async function* chunksOf(source: Readable): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    for await (const part of source.iterator({ destroyOnReturn: false })) {
      yield withFollowing(part as Buffer, source);
    }
  } catch (cause) {
    throw brokenBody(cause);
  }
}

/** Joins what has arrived: each chunk costs both threads a message and a turn. The result can be transferred. */
function withFollowing(first: Buffer, source: Readable): Uint8Array<ArrayBuffer> {
  const parts = [first];
  let length = first.length;
  while (length < chunkBytes) {
    const next = source.read() as Buffer | null;
    if (next === null) break;
    parts.push(next);
    length += next.length;
  }
  if (parts.length === 1 && ownsMemory(first)) return first;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
    freeMemory(part);
  }
  return joined;
}

/** So a client that reads only after it has sent everything receives the summary: closing at once would reset it. */
function discardRest(request: IncomingMessage, source: Readable): Promise<void> {
  if (source !== request) {
    request.unpipe();
    source.destroy();
  }
  request.on("error", () => undefined);
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => request.destroy(), streamDiscardMs);
    const finish = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.on("end", finish).on("close", finish).resume();
  });
}

function refuseIdempotencyKey({ request }: HandlerInput): void {
  if (request.headers["idempotency-key"] === undefined) return;
  throw new AppError("validation_failed", {
    message: "A stream cannot have an Idempotency-Key: its outcome is not stored.",
    errors: [{ field: "Idempotency-Key", message: "must be left out with application/x-ndjson" }],
  });
}

const streamReplyWaitMs = 5_000;

class ReplyLines {
  readonly #response: ServerResponse;
  #stalled = false;
  unlisted = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on("drain", () => (this.#stalled = false));
  }

  /** `lines`: the number of lines in `text`. Resolves when they are sent or counted, or the client has disconnected. */
  async write(text: string, lines: number): Promise<void> {
    if (this.#response.writableNeedDrain && !this.#stalled) {
      const giveUp = (): boolean => (this.#stalled = true);
      await waitForRoom(this.#response, { everyMs: streamReplyWaitMs, giveUp });
    }
    if (this.#response.writableNeedDrain) this.unlisted += lines;
    else if (!this.#response.destroyed) this.#response.write(text);
  }

  writeLast(line: object): void {
    if (!this.#response.destroyed) this.#response.write(`${JSON.stringify(line)}\n`);
  }
}
