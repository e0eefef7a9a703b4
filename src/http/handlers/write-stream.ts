// Streams of records (application/x-ndjson): one a line, any length, in bounded memory. Groups become durable as they
// arrive; the reply has a line for each refused item and ends with a summary. Never answers for a line before its commit.

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { identifyCaller } from "../../actions/identify-caller.ts";
import { type ItemResult, writeRecords } from "../../actions/write-records.ts";
import { AppError, errorCatalogue, type FieldError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { WriteMode } from "../../domain/record-write.ts";
import type { Door } from "../door.ts";
import { type Line, LineSplitter } from "../line-splitter.ts";
import type { Operation } from "../operation.ts";
import { parseJson } from "../parse-json.ts";
import { brokenBody, decodedBody } from "../read-body.ts";
import { requireType } from "../require-type.ts";
import type { Call, Handler } from "./handler.ts";

interface Refusal {
  readonly line: number;
  readonly id?: string | undefined;
  readonly code: number;
  readonly message?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
}

interface Tally {
  received: number;
  written: number;
  unchanged: number;
  refused: number;
}

export function makeWriteStream(door: Door, operation: Operation, mode: WriteMode): Handler {
  return async (call) => {
    refuseIdempotencyKey(call);
    const source = decodedBody(call.request.raw);
    const tally: Tally = { received: 0, written: 0, unchanged: 0, refused: 0 };
    const lines = new LineSplitter();
    const write = async (found: readonly Line[]) => {
      // A stream may go on for longer than its token, or the key behind it, is good for.
      await identifyCaller(door.app, call.request.headers.authorization);
      await writeLines(door, call, { operation, mode, tally, found });
    };
    begin(call, operation);
    let failure: AppError | undefined;
    try {
      for await (const chunk of chunksOf(source)) await write(lines.push(chunk));
      await write(lines.end());
    } catch (error) {
      failure = asAppError(door, call, error);
    }
    await finish(door, call, { operation, tally, failure });
    return undefined;
  };
}

/** Only what goes wrong here is the fault of the body; whatever else fails is ours. */
async function* chunksOf(source: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of source) yield chunk as Buffer;
  } catch (cause) {
    throw brokenBody(cause);
  }
}

interface Batch {
  readonly operation: Operation;
  readonly mode: WriteMode;
  readonly tally: Tally;
  readonly found: readonly Line[];
}

async function writeLines(door: Door, call: Call, batch: Batch): Promise<void> {
  for (let from = 0; from < batch.found.length; from += limits.streamGroupItemsMax) {
    const found = batch.found.slice(from, from + limits.streamGroupItemsMax);
    await writeGroup(door, call, { ...batch, found });
  }
}

async function writeGroup(door: Door, call: Call, { operation, mode, tally, found }: Batch) {
  const type = requireType(operation);
  const refusals: Refusal[] = [];
  const items: unknown[] = [];
  const lineOf: number[] = [];
  for (const line of found) {
    const parsed = parseLine(line);
    if (parsed.refusal !== undefined) refusals.push(parsed.refusal);
    else lineOf[items.push(parsed.value) - 1] = line.number;
  }
  const { organizationId } = call.caller;
  const report =
    items.length === 0
      ? { written: 0, results: [] }
      : await writeRecords(door.app, {
          organizationId,
          type,
          mode,
          lenient: true,
          single: false,
          items,
        });
  for (const result of report.results ?? []) {
    if (result.status === "refused") refusals.push(refusalOf(lineOf[result.index] ?? 0, result));
    else if (result.status === "unchanged") tally.unchanged += 1;
  }
  tally.received += found.length;
  tally.written += report.written;
  tally.refused += refusals.length;
  door.onRecordsWritten(type.resourceType, report.written);
  await send(
    call.reply.raw,
    refusals.toSorted((one, other) => one.line - other.line),
  );
}

function parseLine({ number, bytes }: Line): { value?: unknown; refusal?: Refusal } {
  if (bytes === undefined) {
    const message = `A line may have at most ${limits.streamLineBytesMax} bytes.`;
    return { refusal: { line: number, code: errorCatalogue.too_large.code, message } };
  }
  try {
    return { value: parseJson(bytes) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, errors } = error;
    return { refusal: { line: number, code, message, errors } };
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
    ...(visit.rate === undefined
      ? {}
      : { ratelimit: visit.rate.rateLimit, "ratelimit-policy": visit.rate.rateLimitPolicy }),
  });
}

async function finish(
  door: Door,
  { reply, visit, caller }: Call,
  {
    operation,
    tally,
    failure,
  }: { operation: Operation; tally: Tally; failure: AppError | undefined },
): Promise<void> {
  const summary = {
    success: failure === undefined,
    write_count: tally.written,
    message: failure?.message ?? "The stream was read to its end.",
    organization_id: caller.organizationId,
    received: tally.received,
    unchanged: tally.unchanged,
    refused: tally.refused,
    ...(failure === undefined ? {} : { code: failure.code }),
  };
  await send(reply.raw, [summary]);
  reply.raw.end();
  door.observe(operation.name, operation.success, (performance.now() - visit.startedAt) / 1_000);
}

async function send(response: ServerResponse, lines: readonly object[]): Promise<void> {
  if (lines.length === 0 || response.destroyed) return;
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  if (response.write(text)) return;
  await Promise.race([once(response, "drain"), once(response, "close")]);
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
