// What has to hold for every reply, whatever was sent: no server error, JSON in a documented form,
// a request id.

import type { FieldFault, Reply } from "../support/http-client.ts";
import type { FuzzCase } from "./fuzz-case.ts";

/** What is wrong with the reply. */
export function checkReply(sent: FuzzCase, reply: Reply): readonly string[] {
  const faults: string[] = [];
  const { status, headers } = reply;
  if (status >= 500) faults.push(`a ${status}`);
  if (!isRequestId(headers["x-request-id"])) faults.push("no X-Request-Id");
  if (!sent.authorized && status < 300 && sent.raw === undefined)
    faults.push("somebody was let in");
  if (sent.ask.method === "HEAD" || reply.bytes.length === 0) {
    const mayBeEmpty = sent.ask.method === "HEAD" || status === 204 || status === 304;
    return mayBeEmpty ? faults : [...faults, "no body"];
  }
  if (status >= 300) return [...faults, ...checkErrorItem(sent, reply)];
  return isText(reply) || readLines(reply) !== undefined
    ? faults
    : [...faults, "a body that is not JSON"];
}

const errorFields: ReadonlySet<string> = new Set(["code", "message", "errors"]);
const problemFields: ReadonlySet<string> = new Set(
  "type title status detail code message errors".split(" "),
);

function checkErrorItem(sent: FuzzCase, reply: Reply): readonly string[] {
  const kind = String(reply.headers["content-type"]);
  const { code, message, errors, detail } = reply.body as Reply["body"] & { detail?: unknown };
  if (!/^application\/(problem\+)?json/.test(kind)) return [`an error as ${kind}`];
  const faults: string[] = [];
  const isProblem = kind.startsWith("application/problem+json");
  if (!Number.isInteger(code)) faults.push("an error without a code");
  else if (Math.floor((code ?? 0) / 100) !== reply.status)
    faults.push("a code that is not of its status");
  if (typeof message !== "string" || message === "") faults.push("an error without a message");
  if (isProblem && detail !== message) faults.push("a problem whose detail is not its message");
  const known = isProblem ? problemFields : errorFields;
  const extra = Object.keys(reply.body).filter((name) => !known.has(name));
  if (extra.length > 0) faults.push(`an error with ${extra.join(", ")}`);
  if (errors !== undefined && !isFieldErrors(errors))
    faults.push("errors that are not of the form");
  return [...faults, ...checkNaming(sent, reply)];
}

/**
 * The error of a rejected record names the field; an item that is not a record has no field to
 * name.
 */
function checkNaming({ write }: FuzzCase, { body, status }: Reply): readonly string[] {
  if (write?.text === undefined || status !== 400 || body.code !== 40_000) return [];
  const value = parse(write.text);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const areRecords = items.every(isObject) && items.length > 0;
  if (!areRecords || body.errors?.every(namesField) === true) return [];
  // About how it was sent, not what was sent.
  if (/^(The body must be|The Idempotency-Key)/.test(String(body.message))) return [];
  return ["a rejection that names no field"];
}

export function namesField({ field, message }: FieldFault): boolean {
  return typeof field === "string" && field !== "" && typeof message === "string" && message !== "";
}

function isFieldErrors(errors: unknown): errors is readonly FieldFault[] {
  return (
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.length <= 100 &&
    errors.every(
      (error: unknown) =>
        isObject(error) && Object.values(error).every((part) => typeof part === "string"),
    )
  );
}

/** Documentation and metrics are not for clients. */
function isText({ headers }: Reply): boolean {
  return /^(text|application\/javascript|font|image)/.test(String(headers["content-type"]));
}

/** The values of a body of JSON, or of JSON lines; undefined if it is neither. */
export function readLines({ text, headers }: Reply): readonly unknown[] | undefined {
  const isStream = String(headers["content-type"]).startsWith("application/x-ndjson");
  const values = (isStream ? text.trimEnd().split("\n") : [text]).map(parse);
  return values.includes(undefined) ? undefined : values;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRequestId(value: unknown): boolean {
  return typeof value === "string" && /^[A-Za-z0-9._:/+=@-]{1,128}$/.test(value);
}
