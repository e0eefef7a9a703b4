// The three verbs that write records, as one object, a list or a stream: POST adds; POST to the batch of a type also
// adds changes of those that exist; PUT changes records that exist.

import { currentTimeOf } from "../../actions/app.ts";
import { keySpaceOf } from "../../actions/intake/idempotency.ts";
import { type SubmissionOptions, writeRecords } from "../../actions/intake/submission.ts";
import { describeWritten, pastTenseOf } from "../../actions/intake/validation-errors.ts";
import { isConfidential } from "../../domain/confidentiality.ts";
import { nounOf, type RecordType } from "../../domain/record-type.ts";
import type { WriteMode } from "../../domain/record/record-write.ts";
import { requireListForm, requireSingleForm } from "../body/list-form.ts";
import { parseJson } from "../body/parse-json.ts";
import { isSmall, mediaTypeOf, readSmallBody } from "../body/read-body.ts";
import { reportOf } from "../bulk/list-task.ts";
import { markItems } from "../bulk/mark-items.ts";
import type { ListReport } from "../bulk/messages.ts";
import type { HttpContext } from "../http-context.ts";
import type { Component } from "../openapi/content.ts";
import {
  changeErrors,
  deletionOpen,
  errorResponse,
  recordNotFound,
} from "../openapi/error-responses.ts";
import {
  type Handler,
  type HandlerInput,
  type Operation,
  requireType,
  type Verb,
} from "../operation.ts";
import { charge } from "../rate-limit/enforce-limit.ts";
import { type Answer, jsonAnswer } from "../reply/reply.ts";
import { keyedRequest, markOf } from "../request/idempotency-key.ts";
import { prefers } from "../request/prefer.ts";
import {
  addedRecord,
  listDescription,
  oneOrMany,
  recordsRequest,
  updatedRecord,
  writeReply,
} from "../write/write-document.ts";
import { type Write, writeLarge, writeMany } from "../write/write-large.ts";
import { makeWriteStream } from "../write/write-stream.ts";

interface WriteVerb extends Pick<Verb, "verb" | "body" | "success" | "errors"> {
  readonly mode: WriteMode;
  readonly summary: (operation: Operation) => string;
  readonly description: string;
  readonly recordOf: (type: RecordType) => Component;
}

function writeVerb({ mode, summary, description, recordOf, errors, ...verb }: WriteVerb): Verb {
  return {
    ...verb,
    permission: "write",
    errors: [...errors, ...changeErrors],
    document: (operation) => ({
      summary: summary(operation),
      description: description + listDescription(operation),
      request: recordsRequest(operation, recordOf(requireType(operation))),
      reply: writeReply(operation, mode),
    }),
    makeHandler: (context, operation) => makeWrite(context, operation, mode),
  };
}

const inBatch = (operation: Operation) => `${nounOf(requireType(operation))} records in batch`;

export const addRecords = writeVerb({
  verb: "add records",
  mode: "add",
  body: "either",
  success: 201,
  errors: [
    errorResponse("RecordConflict", {
      description:
        "The record already exists, a deletion of it is open, or the first request is in flight.",
      errors: [
        "identical_record_exists",
        "record_exists",
        "deletion_open",
        "idempotency_in_flight",
      ],
      headers: ["RetryAfter"],
    }),
  ],
  summary: (operation) => `Add ${oneOrMany(operation)}`,
  description:
    "An id that already exists is 409; `code` distinguishes an identical record (40901) from a different one (40902).",
  recordOf: addedRecord,
});

export const appendRecords = writeVerb({
  verb: "append records",
  mode: "append",
  body: "list",
  success: 200,
  errors: [deletionOpen],
  summary: (operation) => `Add ${inBatch(operation)}`,
  description:
    "Unlike a single POST, this stores a further change of a record that already exists and skips an identical one, so that " +
    "a batch can safely be sent again; `write_count` is the number of changes stored.",
  recordOf: addedRecord,
});

export const updateRecords = writeVerb({
  verb: "update records",
  mode: "update",
  body: "either",
  success: 200,
  errors: [recordNotFound, deletionOpen],
  summary: (operation) =>
    `Update ${operation.body === "list" ? inBatch(operation) : oneOrMany(operation)}`,
  description:
    "Only the id and `timestamp` are required. Fields that are left out do not change; `null` clears an optional field. " +
    "An id that does not exist is 404.",
  recordOf: updatedRecord,
});

function makeWrite(context: HttpContext, operation: Operation, operationMode: WriteMode): Handler {
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
  const { app } = context;
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
  const options: SubmissionOptions = {
    organizationId,
    type,
    mode,
    lenient,
    asSingle,
    single,
    receivedAt: currentTimeOf(app),
    timestampMin: app.timestampMin,
  };
  const idempotency = markOf(key, bytes);
  return writeRecords(app, options, { items, idempotency, marks }).then((report) => {
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
