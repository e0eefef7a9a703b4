// POST and PUT of records: one object, a list, or a stream, as the operation allows.

import { keySpaceOf } from "../../actions/intake/idempotency.ts";
import { describeWritten, pastTenseOf } from "../../actions/intake/validation-errors.ts";
import { writeRecords } from "../../actions/intake/submission.ts";
import { isConfidential } from "../../domain/confidentiality.ts";
import { nounOf } from "../../domain/record-type.ts";
import type { WriteMode } from "../../domain/record/record-write.ts";
import { requireListForm, requireSingleForm } from "../body/list-form.ts";
import { parseJson } from "../body/parse-json.ts";
import { isSmall, mediaTypeOf, readSmallBody } from "../body/read-body.ts";
import { reportOf } from "../bulk/list-task.ts";
import { markItems } from "../bulk/mark-items.ts";
import type { ListReport } from "../bulk/messages.ts";
import type { HttpContext } from "../http-context.ts";
import { type Handler, type HandlerInput, type Operation, requireType } from "../operation.ts";
import { charge } from "../rate-limit/enforce-limit.ts";
import { type Answer, jsonAnswer } from "../reply/reply.ts";
import { keyedRequest, markOf } from "../request/idempotency-key.ts";
import { makeWriteStream } from "./write-stream.ts";
import { type Write, writeLarge, writeMany } from "./write-large.ts";
import type { FastifyRequest } from "fastify";

export function makeWrite(
  context: HttpContext,
  operation: Operation,
  operationMode: WriteMode,
): Handler {
  const type = requireType(operation);
  const streams = operation.body !== "one";
  const writeStream = makeWriteStream(context, operation, operationMode);
  const answerStrictly = makeStrictAnswers();
  return async (input) => {
    const { raw } = input.request;
    if (mediaTypeOf(raw, streams) === "ndjson") return writeStream(input);
    const lenient = streams && prefers(input.request, "lenient");
    const asSingle = lenient && prefers(input.request, "single");
    const mode = asSingle && operationMode === "append" ? "add" : operationMode;
    const write = { operation, type, mode, lenient, asSingle };
    const report = isSmall(raw)
      ? await readSmallBody(raw).then((bytes) => writeSmall(context, input, { write, bytes }))
      : await writeLarge(context, input, write);
    if (!report.repeated && !isConfidential(type, input.caller)) {
      context.onRecordsWritten(type.resourceType, report.written);
    }
    return lenient ? answerLeniently(input, write, report) : answerStrictly(input, write, report);
  };
}

/** More items than this are read in turns, however small they are: an invalid one may take a millisecond. */
const itemsAtOnceMax = 128;

/** The function is not `async`, so that the body and its items can be collected while the store writes. */
function writeSmall(
  context: HttpContext,
  input: HandlerInput,
  { write, bytes }: { readonly write: Write; readonly bytes: Buffer },
): Promise<ListReport> {
  const { request, caller } = input;
  const { operation, type, mode, lenient, asSingle } = write;
  const { organizationId } = caller;
  const value = parseJson(bytes);
  const single = !Array.isArray(value);
  if (single) requireSingleForm(operation.body, type);
  else requireListForm(operation.body, type, value.length);
  if (!single && value.length > itemsAtOnceMax) return writeMany(context, input, { write, bytes });
  const items: readonly unknown[] = single ? [value] : value;
  const { resourceType } = type;
  const key = keyedRequest(request, operation, keySpaceOf(caller, type));
  const marks = single ? undefined : markItems(bytes, { resourceType, mode, asSingle, key });
  const count = items.length;
  return writeRecords(context.app, {
    organizationId,
    type,
    mode,
    lenient,
    asSingle,
    single,
    items,
    idempotency: markOf(key, bytes),
    marks,
  }).then((report) => {
    const work = { items: count, bytes: bytes.length, processorMs: 0 };
    if (count > 1) charge(context, { request, caller }, work);
    return reportOf(report, JSON.stringify(report.results));
  });
}

/** Most requests write one record of the same organization as the previous request, and so have the same answer. */
function makeStrictAnswers(): typeof answerLeniently {
  let latest: (ListReport & { organizationId: string; answer: Answer }) | undefined;
  return (input, write, report) => {
    const { organizationId } = input.caller;
    if (
      latest?.organizationId !== organizationId ||
      latest.written !== report.written ||
      latest.updated !== report.updated ||
      latest.unchanged !== report.unchanged
    ) {
      const answer = jsonAnswer(write.operation.success, headOf(input, write, report));
      latest = { ...report, organizationId, answer };
    }
    return latest.answer;
  };
}

function answerLeniently(input: HandlerInput, write: Write, report: ListReport): Answer {
  const { success, write_count, message, organization_id } = headOf(input, write, report);
  const body =
    `{"success":${success},"write_count":${write_count},"message":${JSON.stringify(message)},` +
    `"organization_id":${JSON.stringify(organization_id)},"results":${report.results ?? "[]"}}`;
  const applied = write.asSingle ? "handling=lenient, verdicts=single" : "handling=lenient";
  return { status: write.operation.success, body, headers: { "preference-applied": applied } };
}

function headOf({ caller }: HandlerInput, write: Write, report: ListReport) {
  return {
    success: true,
    write_count: report.written,
    message: messageOf(write, report),
    organization_id: caller.organizationId,
  };
}

function messageOf({ type, mode }: Write, report: ListReport): string {
  const { written, updated, unchanged, refused } = report;
  const noun = nounOf(type);
  const further = mode === "append" ? updated : 0;
  const first = written - further;
  const others =
    mode === "update"
      ? `updates of ${noun} records were stored`
      : `${noun} records were ${pastTenseOf[mode]}`;
  const parts = [
    first === 1 ? describeWritten(mode, type) : `${first} ${others}`,
    ...ifAny(further, "further change was stored", "further changes were stored"),
    ...ifAny(unchanged, "identical item was skipped", "identical items were skipped"),
  ];
  const rest = refused === 0 ? "" : ` ${refused} refused; see results.`;
  return `${parts.join(", ")}.${rest}`;
}

function ifAny(count: number, one: string, several: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
}

/** Up to the next comma outside quotes. */
const preferences = /(?:[^",]|"(?:[^"\\]|\\.)*(?:"|$))+/g;
const preference = /^\s*(handling|verdicts)\s*=\s*"?([a-z]+)"?\s*(?:;|$)/i;

/** The first value that the client gives for a preference counts. */
export function prefers({ headers }: FastifyRequest, value: "lenient" | "single"): boolean {
  const name = value === "lenient" ? "handling" : "verdicts";
  const given = [headers["prefer"] ?? []].flat().join(",").match(preferences) ?? [];
  const all = given.map((one) => preference.exec(one.toLowerCase()));
  return all.find((one) => one?.[1] === name)?.[2] === value;
}
