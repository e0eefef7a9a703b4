// Requests and replies as examples. Made from the example of each type and from the errors themselves, so that they can't
// fall behind; a test sends the requests and validates them all.

import { AppError, errorCatalogue, type ErrorName, type FieldError } from "../../domain/error.ts";
import { nounOf, type Payload, type RecordType } from "../../domain/record-type.ts";
import { formatTimestamp, normaliseTimestamp } from "../../domain/timestamp.ts";
import { errorAnswer } from "../reply/error-response.ts";
import type { Operation } from "../operation.ts";
import type { Example, Examples } from "./document.ts";
import { receiptExample } from "./receipt-schema.ts";

export const exampleOrganizationId = "org_7hJq2mXw9RtLc4Vb";
export const exampleDeletionId = "del_5kPz8nYd3GsWf6Tq";

const tokenScopes = { organization_id: exampleOrganizationId, scopes: ["transactions:write"] };

export const tokenRequestExample = { expiry_seconds: 3_600, scopes: tokenScopes };
export const tokenExample = {
  token: "sluice_token_example",
  expiry: 1_769_855_400,
  organization_id: exampleOrganizationId,
  organization_name: "Example Bank",
  scopes: tokenScopes,
};

export function idExample(type: RecordType): string {
  return String(type.example[type.idField]);
}

export function existenceExample(type: RecordType): object {
  const seen = formatTimestamp(normaliseTimestamp(String(type.example["timestamp"])) ?? "");
  return {
    [type.idField]: idExample(type),
    first_seen: seen,
    last_seen: seen,
    organization_id: exampleOrganizationId,
  };
}

export function deletionRequestExample(type: RecordType): object {
  return { [type.idField]: idExample(type), reason: "The customer asked for it." };
}

export function anyDeletionRequestExample(type: RecordType): object {
  return {
    resource_type: type.resourceType,
    resource_id: idExample(type),
    reason: "The customer asked for it.",
  };
}

export function deletionAcceptedExample(type: RecordType): object {
  return { [type.idField]: idExample(type), deletion_request_id: exampleDeletionId };
}

export function deletionStatusExamples(type: RecordType): Examples {
  const pending = {
    deletion_request_id: exampleDeletionId,
    resource_type: type.resourceType,
    resource_id: idExample(type),
    status: "pending",
    requested_at: "2026-03-01T10:00:00.000Z",
  };
  const completed = {
    ...pending,
    status: "completed",
    completed_at: "2026-03-01T10:00:01.250Z",
    erased: { [type.resourceType]: 1 },
    receipt: {
      ...receiptExample,
      deletion_request_id: exampleDeletionId,
      asked: {
        resource_type: type.resourceType,
        resource_id: idExample(type),
        reason: "The customer asked for it.",
        by: "key_4fQ2mN8sT1vXc7Za",
        at: pending.requested_at,
      },
      erased: { [type.resourceType]: 1 },
    },
  };
  return {
    pending: { summary: "Not begun yet", value: pending },
    completed: { summary: "Done and verified", value: completed },
  };
}

/** What PUT takes: one required field changes. */
export function changeExample(type: RecordType): Payload {
  const changed = Object.keys(type.fields).findLast((name) => type.fields[name]?.required === true);
  return pick(type, [type.idField, changed ?? type.idField, "timestamp"]);
}

/** What PUT takes: an optional field is cleared. Undefined if the example of the type holds none. */
export function clearExample(type: RecordType): Payload | undefined {
  const cleared = Object.keys(type.fields).find(
    (name) => type.fields[name]?.required === false && type.example[name] !== undefined,
  );
  if (cleared === undefined) return undefined;
  return { ...pick(type, [type.idField]), [cleared]: null, ...pick(type, ["timestamp"]) };
}

function pick({ example }: RecordType, names: readonly string[]): Payload {
  return Object.fromEntries(names.map((name) => [name, example[name]]));
}

/** The reply of a write that went well; `verb` as the message has it, such as `added`. */
export function writeExamples({ type, body }: Operation, verb: string): Examples {
  const noun = type === undefined ? "record" : nounOf(type);
  const written = {
    success: true,
    write_count: 1,
    message: `1 ${noun} was ${verb}.`,
    organization_id: exampleOrganizationId,
  };
  const strict: Example = { summary: "Written", value: written };
  if (body === "one" || type === undefined) return { written: strict };
  const first = {
    index: 0,
    id: idExample(type),
    status: verb === "updated" ? "updated" : "created",
  };
  const second = { index: 1, status: "refused", ...refusal(type) };
  const value = { ...written, message: `1 ${noun} was ${verb}. 1 refused; see results.` };
  return {
    written: strict,
    lenient: {
      summary: "With Prefer: handling=lenient",
      value: { ...value, results: [first, second] },
    },
  };
}

/** The reply of a stream of two lines, one of which was refused. */
export function streamExample(type: RecordType): string {
  const summary = {
    success: true,
    write_count: 1,
    message: "The stream was read to its end.",
    organization_id: exampleOrganizationId,
    received: 2,
    unchanged: 0,
    refused: 1,
  };
  return lines([{ line: 2, ...refusal(type) }, summary]);
}

export function lines(items: readonly object[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join("");
}

function refusal(type: RecordType): object {
  return {
    code: errorCatalogue.validation_failed.code,
    message: `The ${nounOf(type)} is not valid.`,
    errors: [{ field: type.idField, message: "is required" }],
  };
}

/** The body of an error as the service makes it, in one of its two forms. */
export function errorExample(
  name: ErrorName,
  { errors, problem }: { errors: readonly FieldError[]; problem: boolean },
): Example {
  const error = new AppError(name, { errors });
  const { body } = errorAnswer(error, { problem, apiKeyExpected: false });
  return {
    summary: `${error.code}: ${error.message}`,
    value: JSON.parse(String(body)) as unknown,
  };
}
