// POST and PUT of records: one object, a list, or a stream, as the operation allows.

import { type WriteReport, writeRecords } from "../../actions/write-records.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { nounOf, type RecordType } from "../../domain/record-type.ts";
import type { WriteMode } from "../../domain/record-write.ts";
import type { Door } from "../door.ts";
import { idempotencyMark } from "../idempotency-key.ts";
import type { Operation } from "../operation.ts";
import { parseJson } from "../parse-json.ts";
import { prefersLenient } from "../prefer.ts";
import { mediaTypeOf, readBody } from "../read-body.ts";
import { requireType } from "../require-type.ts";
import { type Call, type Handler, type HandlerMaker, ok } from "./handler.ts";
import { makeWriteStream } from "./write-stream.ts";

export const makeAddRecords: HandlerMaker = (door, operation) => makeWrite(door, operation, "add");
export const makeAppendRecords: HandlerMaker = (door, operation) =>
  makeWrite(door, operation, "append");
export const makeUpdateRecords: HandlerMaker = (door, operation) =>
  makeWrite(door, operation, "update");

function makeWrite(door: Door, operation: Operation, mode: WriteMode): Handler {
  const type = requireType(operation);
  const streams = operation.body !== "one";
  const writeStream = makeWriteStream(door, operation, mode);
  const messageOf = makeMessage(mode, type);
  return async (call) => {
    if (mediaTypeOf(call.request.raw, streams) === "ndjson") return writeStream(call);
    const lenient = streams && prefersLenient(call.request);
    const report = await readBody(call.request.raw).then((bytes) =>
      writeBody(door, call, { operation, type, mode, lenient, bytes }),
    );
    if (!report.repeated) door.onRecordsWritten(type.resourceType, report.written);
    const body = {
      success: true,
      write_count: report.written,
      message: messageOf(report),
      organization_id: call.caller.organizationId,
    };
    if (!lenient) return ok(operation.success, body);
    const answer = ok(operation.success, { ...body, results: report.results });
    return { ...answer, headers: { "preference-applied": "handling=lenient" } };
  };
}

interface Manner {
  readonly operation: Operation;
  readonly type: RecordType;
  readonly mode: WriteMode;
  readonly lenient: boolean;
}

/** Not `async`, so that nothing holds on to the body and what was read from it while the store writes. */
function writeBody(
  door: Door,
  { request, caller: { organizationId } }: Call,
  { operation, type, mode, lenient, bytes }: Manner & { readonly bytes: Buffer },
): Promise<WriteReport> {
  const value = parseJson(bytes);
  const single = !Array.isArray(value);
  const items: readonly unknown[] = single ? [value] : value;
  requireForm(operation, { single, items });
  const idempotency = idempotencyMark(request, { organizationId, operation, body: bytes });
  return writeRecords(door.app, {
    organizationId,
    type,
    mode,
    lenient,
    single,
    items,
    idempotency,
  });
}

function requireForm(
  { body, type }: Operation,
  { single, items }: { single: boolean; items: readonly unknown[] },
): void {
  if (body === "list" && single) throw invalid("The body must be a list of objects.");
  if (body === "one" && !single) {
    throw invalid(`The body must be one object; send lists to /v2/${type?.batchPath ?? ""}.`);
  }
  if (items.length === 0) throw invalid("The list must hold at least one item.");
  if (items.length > limits.batchItemsMax) {
    throw new AppError("too_large", {
      message:
        `A list may have at most ${limits.batchItemsMax} items, and this one has ${items.length}; ` +
        "send it in parts, or as a stream (application/x-ndjson).",
    });
  }
}

function invalid(message: string): AppError {
  return new AppError("validation_failed", { message });
}

const verbs = { add: "added", append: "recorded", update: "updated" } as const;

function makeMessage(mode: WriteMode, type: RecordType): (report: WriteReport) => string {
  const noun = nounOf(type);
  const verb = verbs[mode];
  const one = `1 ${noun} was ${verb}.`;
  return ({ written, results }) => {
    if (written === 1 && results === undefined) return one;
    const counted = written === 1 ? `1 ${noun} was` : `${written} ${noun} records were`;
    const refused = results?.filter((item) => item.status === "refused").length ?? 0;
    const rest = refused === 0 ? "" : ` ${refused} refused; see results.`;
    return `${counted} ${verb}.${rest}`;
  };
}
