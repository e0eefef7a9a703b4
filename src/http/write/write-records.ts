// POST and PUT of records: one object, a list, or a stream, as the operation allows. What is small is read here; what is
// large is handed to the bulk thread.

import { contextOf, keyHashOf } from "../../actions/idempotency.ts";
import { writeRecords } from "../../actions/write-records.ts";
import { nounOf, type RecordType } from "../../domain/record-type.ts";
import type { WriteMode } from "../../domain/record/record-write.ts";
import type { ListReport } from "../bulk/messages.ts";
import { clientGone } from "../connection/client-gone.ts";
import type { HttpContext } from "../http-context.ts";
import { idempotencyMark, idempotencyRequest } from "../request/idempotency-key.ts";
import { requireListForm, requireSingleForm } from "../body/list-form.ts";
import { freeMemory } from "../load/free-memory.ts";
import { tokensOf, type Work } from "../load/work-tokens.ts";
import { parseJson } from "../body/parse-json.ts";
import { contentType, idempotencyKeyReused, tooLarge } from "../openapi/error-responses.ts";
import { prefersLenient } from "../request/prefer.ts";
import {
  declaredBytes,
  isSmall,
  mediaTypeOf,
  readLargeBody,
  readSmallBody,
} from "../body/read-body.ts";
import { type Answer, jsonAnswer } from "../reply/reply.ts";
import { type Handler, type HandlerInput, type Operation, requireType } from "../operation.ts";
import { makeWriteStream } from "./write-stream.ts";

export const writeErrors = [tooLarge, contentType, idempotencyKeyReused];

interface WriteOperation {
  readonly operation: Operation;
  readonly type: RecordType;
  readonly mode: WriteMode;
}

export function makeWrite(context: HttpContext, operation: Operation, mode: WriteMode): Handler {
  const write: WriteOperation = { operation, type: requireType(operation), mode };
  const streams = operation.body !== "one";
  const writeStream = makeWriteStream(context, operation, mode);
  const messageOf = makeMessage(write);
  return async (call) => {
    const { raw } = call.request;
    if (mediaTypeOf(raw, streams) === "ndjson") return writeStream(call);
    const lenient = streams && prefersLenient(call.request);
    const report = isSmall(raw)
      ? await readSmallBody(raw).then((bytes) =>
          writeSmall(context, call, { ...write, lenient, bytes }),
        )
      : await writeLarge(context, call, { ...write, lenient });
    if (!report.repeated) context.onRecordsWritten(write.type.resourceType, report.written);
    return answer(call, { operation, lenient, report, message: messageOf(report, lenient) });
  };
}

/** Not `async`, so that nothing holds on to the body and what was read from it while the store writes. */
function writeSmall(
  context: HttpContext,
  { request, requestContext, caller }: HandlerInput,
  { operation, type, mode, lenient, bytes }: WriteOperation & { lenient: boolean; bytes: Buffer },
): Promise<ListReport> {
  const { organizationId } = caller;
  const value = parseJson(bytes);
  const single = !Array.isArray(value);
  if (single) requireSingleForm(operation);
  else requireListForm(operation, value.length);
  const items: readonly unknown[] = single ? [value] : value;
  const idempotency = idempotencyMark(request, { organizationId, operation, body: bytes });
  const options = { organizationId, type, mode, lenient, single, items, idempotency };
  const count = items.length;
  return writeRecords(context.app, options).then(({ written, repeated, results }) => {
    const work = { items: count, bytes: bytes.length, processorMs: 0 };
    if (count > 1) void charge(context, { requestContext, caller }, work);
    if (results === undefined) return { written, repeated, refused: 0, results };
    const refused = results.filter(({ status }) => status === "refused").length;
    return { written, repeated, refused, results: JSON.stringify(results) };
  });
}

async function writeLarge(
  context: HttpContext,
  call: HandlerInput,
  { operation, mode, lenient }: WriteOperation & { readonly lenient: boolean },
): Promise<ListReport> {
  const { organizationId } = call.caller;
  context.load.shedding.admitBody(declaredBytes(call.request.raw));
  const key = idempotencyRequest(call.request, operation);
  const keyHash = key === undefined ? undefined : keyHashOf(organizationId, key.idempotencyKey);
  const signal = clientGone(call.reply.raw);
  const { bytes, reservation } = await readLargeBody(call.request.raw, {
    organizationId,
    budget: context.load.bodies,
    signal,
  });
  try {
    const idempotency =
      key === undefined || keyHash === undefined ? undefined : { keyHash, context: contextOf(key) };
    const receivedAt = context.app.now();
    const order = {
      operation: operation.name,
      mode,
      organizationId,
      receivedAt,
      lenient,
      idempotency,
    };
    const outcome = await context.app.inFlight.run(keyHash, () =>
      context.bulk.writeList(order, bytes, signal),
    );
    await charge(context, call, outcome.work);
    if ("error" in outcome) throw outcome.error;
    return outcome.report;
  } finally {
    freeMemory(bytes);
    reservation.release();
  }
}

/** One token was taken before the request was read. */
async function charge(
  context: HttpContext,
  { requestContext, caller }: Pick<HandlerInput, "requestContext" | "caller">,
  work: Work,
): Promise<void> {
  const tokens = tokensOf(work) - 1;
  if (tokens > 0) requestContext.rate = (await context.rates.work(caller, tokens)).headers;
}

interface Written {
  readonly operation: Operation;
  readonly lenient: boolean;
  readonly report: ListReport;
  readonly message: string;
}

function answer(
  { caller }: HandlerInput,
  { operation, lenient, report, message }: Written,
): Answer {
  const { organizationId } = caller;
  const { written, results } = report;
  const head = { success: true, write_count: written, message, organization_id: organizationId };
  if (!lenient) return jsonAnswer(operation.success, head);
  // The results come as JSON already.
  const body = `${JSON.stringify(head).slice(0, -1)},"results":${results ?? "[]"}}`;
  return {
    status: operation.success,
    body,
    headers: { "preference-applied": "handling=lenient" },
  };
}

export const pastTenseOf = { add: "added", append: "recorded", update: "updated" } as const;

function makeMessage({
  mode,
  type,
}: WriteOperation): (report: ListReport, lenient: boolean) => string {
  const noun = nounOf(type);
  const verb = pastTenseOf[mode];
  const one = `1 ${noun} was ${verb}.`;
  return ({ written, refused }, lenient) => {
    if (written === 1 && !lenient) return one;
    const counted = written === 1 ? `1 ${noun} was` : `${written} ${noun} records were`;
    const rest = refused === 0 ? "" : ` ${refused} refused; see results.`;
    return `${counted} ${verb}.${rest}`;
  };
}
