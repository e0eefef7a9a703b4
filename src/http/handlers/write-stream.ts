// Streams of records (application/x-ndjson): one a line, any length, in bounded memory. Groups become durable as they
// arrive; the reply has a line for each refused item and ends with a summary. Passes chunks on to the bulk thread, and its
// answers back; never answers for a line before its commit.

import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { identifyCaller } from "../../actions/identify-caller.ts";
import { AppError } from "../../domain/error.ts";
import type { WriteMode } from "../../domain/record/record-write.ts";
import type { OpenStream } from "../bulk/bulk-client.ts";
import type { StreamTally } from "../bulk/messages.ts";
import { clientGone } from "../connection/client-gone.ts";
import type { HttpContext } from "../http-context.ts";
import { tokensOf, type Work } from "../load/work-tokens.ts";
import type { Operation } from "../operation.ts";
import { brokenBody, decodedBody, requireRatio } from "../body/read-body.ts";
import { ReplyLines } from "../reply/reply-lines.ts";
import { requireType } from "../body/require-type.ts";
import type { Call, Handler } from "./handler.ts";

/** How long the rest of a failed stream is read and discarded, so that the client receives the reply. */
const streamDiscardMs = 30_000;

/** Chunks that may be on their way to the bulk thread, so that it never waits for the next. */
const chunksAhead = 4;

export function makeWriteStream(
  context: HttpContext,
  operation: Operation,
  mode: WriteMode,
): Handler {
  return async (call) => {
    refuseIdempotencyKey(call);
    const { organizationId } = call.caller;
    context.load.shedding.admitStream();
    context.load.organizations.beginStream(organizationId);
    try {
      const source = decodedBody(call.request.raw);
      begin(call, operation);
      const stream = new WriteStream(context, call, { operation, mode });
      const failure = await stream.run(source);
      if (failure !== undefined) await discardRest(call.request.raw, source);
      call.reply.raw.end();
      return undefined;
    } finally {
      context.load.organizations.endStream(organizationId);
    }
  };
}

class WriteStream {
  readonly #context: HttpContext;
  readonly #call: Call;
  readonly #operation: Operation;
  readonly #replyLines: ReplyLines;
  readonly #task: OpenStream;
  /** Ends when everything that the task told so far is in the reply. */
  #replying: Promise<void> = Promise.resolve();
  /** When the organization has tokens again, if it has used more than it had. */
  #paidAt = 0;
  #stopped = false;
  /** Chunks that the task has not read yet. */
  readonly #ahead = new Set<Promise<void>>();

  constructor(
    context: HttpContext,
    call: Call,
    { operation, mode }: { operation: Operation; mode: WriteMode },
  ) {
    this.#context = context;
    this.#call = call;
    this.#operation = operation;
    this.#replyLines = new ReplyLines(call.reply.raw);
    const { organizationId } = call.caller;
    const { resourceType } = requireType(operation);
    this.#task = context.bulk.openStream(
      { operation: operation.name, mode, organizationId, receivedAt: context.app.now() },
      {
        onGroup: ({ written, lines, lineCount, work }) => {
          context.onRecordsWritten(resourceType, written);
          this.#charge(work);
          if (lineCount > 0) this.#reply(lines, lineCount);
        },
        onStopped: () => (this.#stopped = true),
      },
    );
  }

  /** Resolves when the summary is sent; with the failure, if there was one. */
  async run(source: Readable): Promise<AppError | undefined> {
    const gone = clientGone(this.#call.reply.raw);
    let failure: unknown;
    try {
      await this.#feed(source, gone);
    } catch (error) {
      failure = error;
    }
    const { tally, error } = await this.#task.end(failure === undefined && !gone.aborted);
    await this.#replying;
    const told = failure ?? error;
    const known = told === undefined ? undefined : this.#asAppError(told);
    this.#finish(tally, known);
    return known;
  }

  async #feed(source: Readable, gone: AbortSignal): Promise<void> {
    let decodedBytes = 0;
    for await (const chunk of chunksOf(source)) {
      decodedBytes += chunk.length;
      // A stream may go on for longer than its token, or the key behind it, is good for.
      await identifyCaller(this.#context.app, this.#call.request.headers.authorization);
      requireRatio(source, decodedBytes);
      await this.#mayGoOn(gone);
      if (this.#stopped || gone.aborted) return;
      const taken = this.#task.write(copyOf(chunk));
      this.#ahead.add(taken);
      void taken.then(() => this.#ahead.delete(taken));
    }
  }

  /** Until the task has read, the client has read, and the organization has paid for what was done. */
  async #mayGoOn(gone: AbortSignal): Promise<void> {
    while (this.#ahead.size >= chunksAhead) await Promise.race(this.#ahead);
    await this.#replying;
    for (let owedMs = this.#paidAt - performance.now(); owedMs > 0 && !gone.aborted;) {
      await sleep(owedMs, undefined, { signal: gone }).catch(() => undefined);
      owedMs = this.#paidAt - performance.now();
    }
  }

  #charge(work: Work): void {
    const asked = this.#context.rates.work(this.#call.caller, tokensOf(work));
    const note = ({
      allowed,
      retryAfterSeconds,
    }: {
      allowed: boolean;
      retryAfterSeconds: number;
    }) => {
      this.#paidAt = allowed ? 0 : performance.now() + retryAfterSeconds * 1_000;
    };
    if (asked instanceof Promise) void asked.then(note);
    else note(asked);
  }

  #reply(lines: string, lineCount: number): void {
    this.#replying = this.#replying.then(() => this.#replyLines.write(lines, lineCount));
  }

  #finish(tally: StreamTally, failure: AppError | undefined): void {
    const { unlisted } = this.#replyLines;
    const { requestContext, caller } = this.#call;
    const read = "The stream was read to its end.";
    const hint = ` ${unlisted} refused lines are not listed, for the reply was not read while they were sent.`;
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
    const { name, success } = this.#operation;
    this.#context.observe(name, success, (performance.now() - requestContext.startedAt) / 1_000);
  }

  /** What was committed stays; the summary says where it ended and why. */
  #asAppError(error: unknown): AppError {
    if (error instanceof AppError) return error;
    this.#context.log.error({ err: error, request_id: this.#call.request.id }, "a stream failed");
    return new AppError("internal");
  }
}

/** Leaves the source as it is when it ends early, so that the rest can still be taken off the wire. */
async function* chunksOf(source: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of source.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (cause) {
    throw brokenBody(cause);
  }
}

/** In memory of its own, which can be transferred. */
function copyOf(chunk: Buffer): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(chunk.length);
  copy.set(chunk);
  return copy;
}

function begin({ request, reply, requestContext }: Call, operation: Operation): void {
  reply.hijack();
  reply.raw.writeHead(operation.success, {
    "content-type": "application/x-ndjson; charset=utf-8",
    "x-request-id": request.id,
    "x-content-type-options": "nosniff",
    ...(requestContext.rate === undefined
      ? {}
      : {
          ratelimit: requestContext.rate.rateLimit,
          "ratelimit-policy": requestContext.rate.rateLimitPolicy,
        }),
  });
}

/**
 * What a client still sends after the summary is taken off the wire for a while, so that one that reads only when it has
 * sent everything gets to read it. Ending the connection at once would reset it under the reply.
 */
function discardRest(request: IncomingMessage, source: Readable): Promise<void> {
  if (source !== request) {
    request.unpipe();
    source.destroy();
  }
  request.removeAllListeners("data").on("error", () => undefined);
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => request.destroy(), streamDiscardMs);
    const settle = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.on("end", settle).on("close", settle).resume();
  });
}

function refuseIdempotencyKey({ request }: Call): void {
  if (request.headers["idempotency-key"] === undefined) return;
  throw new AppError("validation_failed", {
    message:
      "A stream takes no Idempotency-Key; it can be sent again as it is, with the same effect.",
    errors: [{ field: "Idempotency-Key", message: "must be left out with application/x-ndjson" }],
  });
}
