// Streams of records (application/x-ndjson): one a line, any length, in bounded memory. Groups become durable as they
// arrive; the reply has a line for each refused item and ends with a summary. Never answers for a line before its commit.

import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { identifyCaller } from "../../actions/identify-caller.ts";
import { type ItemResult, writeRecords } from "../../actions/write-records.ts";
import { AppError, errorCatalogue, type FieldError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { WriteMode } from "../../domain/record-write.ts";
import type { Door } from "../door.ts";
import { GroupWriter } from "../group-writer.ts";
import { type Line, LineSplitter } from "../line-splitter.ts";
import type { Operation } from "../operation.ts";
import { parseJson } from "../parse-json.ts";
import { brokenBody, decodedBody } from "../read-body.ts";
import { ReplyLines } from "../reply-lines.ts";
import { requireType } from "../require-type.ts";
import type { Call, Handler } from "./handler.ts";

interface Refusal {
  readonly line: number;
  readonly id?: string | undefined;
  readonly code: number;
  readonly message?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
}

/** A line as it was read: a value, or why there is none. */
interface ParsedLine {
  readonly number: number;
  readonly value?: unknown;
  readonly refusal?: Refusal;
}

interface Tally {
  received: number;
  written: number;
  unchanged: number;
  refused: number;
}

interface Stream {
  readonly operation: Operation;
  readonly mode: WriteMode;
  readonly tally: Tally;
  readonly replyLines: ReplyLines;
}

export function makeWriteStream(door: Door, operation: Operation, mode: WriteMode): Handler {
  return async (call) => {
    refuseIdempotencyKey(call);
    const source = decodedBody(call.request.raw);
    const tally: Tally = { received: 0, written: 0, unchanged: 0, refused: 0 };
    begin(call, operation);
    const stream = { operation, mode, tally, replyLines: new ReplyLines(call.reply.raw) };
    let failure: AppError | undefined;
    try {
      await readInGroups(source, async (group) => {
        // A stream may go on for longer than its token, or the key behind it, is good for.
        await identifyCaller(door.app, call.request.headers.authorization);
        await writeGroup(door, call, { ...stream, group });
      });
    } catch (error) {
      failure = asAppError(door, call, error);
    }
    finish(door, call, { ...stream, failure });
    if (failure !== undefined) await discardRest(call.request.raw, source);
    call.reply.raw.end();
    return undefined;
  };
}

/** Resolves when all lines are written; rejects at the first failure to read or to write, all that came before written. */
function readInGroups(
  source: Readable,
  write: (group: readonly ParsedLine[]) => Promise<void>,
): Promise<void> {
  const splitter = new LineSplitter();
  return new Promise((resolve, reject) => {
    const writer = new GroupWriter<ParsedLine>({
      write,
      itemsMax: limits.streamGroupItemsMax,
      bytesMax: limits.streamGroupBytesMax,
      onRoom: () => source.resume(),
      onFailure: reject,
    });
    const gather = (lines: readonly Line[]): void => {
      for (const line of lines) writer.add(parseLine(line), line.bytes?.length ?? 0);
      writer.start();
      if (writer.isFull) source.pause();
    };
    const end = (settle: () => void): void => void writer.end().then(settle, reject);
    source.on("data", (chunk: Buffer) => gather(splitter.push(chunk)));
    source.on("end", () => {
      gather(splitter.end());
      end(resolve);
    });
    source.on("error", (cause) => end(() => reject(brokenBody(cause))));
    source.on("close", () => end(() => reject(brokenBody(undefined))));
  });
}

async function writeGroup(
  door: Door,
  call: Call,
  { operation, mode, tally, replyLines, group }: Stream & { group: readonly ParsedLine[] },
): Promise<void> {
  const type = requireType(operation);
  const refusals = group.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
  const sound = group.filter(({ refusal }) => refusal === undefined);
  const { organizationId } = call.caller;
  const report =
    sound.length === 0
      ? { written: 0, results: [] }
      : await writeRecords(door.app, {
          organizationId,
          type,
          mode,
          lenient: true,
          single: false,
          items: sound.map(({ value }) => value),
        });
  for (const result of report.results ?? []) {
    if (result.status === "unchanged") tally.unchanged += 1;
    if (result.status !== "refused") continue;
    refusals.push(refusalOf(sound[result.index]?.number ?? 0, result));
  }
  tally.received += group.length;
  tally.written += report.written;
  tally.refused += refusals.length;
  door.onRecordsWritten(type.resourceType, report.written);
  await replyLines.write(refusals.toSorted((one, other) => one.line - other.line));
}

function parseLine({ number, bytes }: Line): ParsedLine {
  if (bytes === undefined) {
    const message = `A line may have at most ${limits.streamLineBytesMax} bytes.`;
    return { number, refusal: { line: number, code: errorCatalogue.too_large.code, message } };
  }
  try {
    return { number, value: parseJson(bytes, "line") };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, errors } = error;
    return { number, refusal: { line: number, code, message, errors } };
  }
}

function refusalOf(line: number, { id, code, message, errors }: ItemResult): Refusal {
  return { line, id, code: code ?? errorCatalogue.validation_failed.code, message, errors };
}

function begin({ request, reply, visit }: Call, operation: Operation): void {
  reply.hijack();
  reply.raw.writeHead(operation.success, {
    "content-type": "application/x-ndjson; charset=utf-8",
    "x-request-id": request.id,
    "x-content-type-options": "nosniff",
    ...(visit.rate === undefined
      ? {}
      : { ratelimit: visit.rate.rateLimit, "ratelimit-policy": visit.rate.rateLimitPolicy }),
  });
}

function finish(
  door: Door,
  { visit, caller }: Call,
  { operation, tally, replyLines, failure }: Stream & { failure: AppError | undefined },
): void {
  const { unlisted } = replyLines;
  const read = "The stream was read to its end.";
  const hint = ` ${unlisted} refused lines are not listed, for the reply was not read while they were sent.`;
  replyLines.writeLast({
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
  door.observe(operation.name, operation.success, (performance.now() - visit.startedAt) / 1_000);
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
    const timer = setTimeout(() => request.destroy(), limits.streamDiscardMs);
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

/** What was committed stays; the summary says where it ended and why. */
function asAppError(door: Door, { request }: Call, error: unknown): AppError {
  if (error instanceof AppError) return error;
  door.log.error({ err: error, request_id: request.id }, "a stream failed");
  return new AppError("internal");
}
