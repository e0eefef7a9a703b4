// Validates the structure of a receipt: its fields and their formats. Does not verify the signature.

import { aloneNo, noReceiptHash, type Receipt, receiptType, receiptVersion } from "./receipt.ts";
import { countKinds } from "./receipt-count.ts";
import { isJsonObject } from "../schema/schema-shape.ts";

type Test = (value: unknown) => boolean;

interface Field {
  readonly test: Test;
  readonly expected: string;
  readonly optional?: true;
  /** The members of an object that has exactly these members. */
  readonly members?: Form;
}

type Form = Readonly<Record<string, Field>>;

const matches =
  (pattern: RegExp): Test =>
  (value) =>
    typeof value === "string" && pattern.test(value);
const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value);
const isText = matches(/[^]/);
const isName = matches(/^[a-z_]+$/);
const isCount: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isHash = matches(/^[0-9a-f]{64}$/);
const isTime = matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** 64 bytes: the last four bits of 86 characters are unused and must be zero (RFC 4648, section 3.5). */
const isSignature = matches(/^[A-Za-z0-9_-]{85}[AQgw]$/);
const isCountHash = matches(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/);
const isMap = (value: unknown, test: Test): value is Readonly<Record<string, unknown>> =>
  isJsonObject(value) && Object.entries(value).every(([name, of]) => isName(name) && test(of));
/** Accepts any types and kinds, so that a receipt of a version with more of them can be verified. */
const isCounts: Test = (value) =>
  isMap(
    value,
    (hashes) =>
      isMap(hashes, isCountHash) && countKinds.every((kind) => Object.hasOwn(hashes, kind)),
  );

const text: Field = { test: isText, expected: "text" };
const hashed: Field = { test: isCountHash, expected: "a hash in base64url" };
const time: Field = { test: isTime, expected: "a time in UTC" };
const objectOf = (members: Form): Field => ({ test: isJsonObject, expected: "an object", members });
const optional = (field: Field): Field => ({ ...field, optional: true });

const receiptForm: Form = {
  type: { test: (value) => value === receiptType, expected: `"${receiptType}"` },
  version: { test: (value) => value === receiptVersion, expected: `${receiptVersion}` },
  store_id: text,
  receipt_no: { test: isCount, expected: "a whole number" },
  previous_receipt: { test: isHash, expected: "64 hex digits" },
  organization_id: text,
  deletion_request_id: text,
  asked: objectOf({
    resource_type: text,
    resource_id: text,
    reason: text,
    basis: optional(hashed),
    by: text,
    at: time,
  }),
  approval: optional(objectOf({ requester: hashed, approver: hashed, approved_at: time })),
  started_at: time,
  completed_at: time,
  verification: objectOf({
    at: time,
    engine: text,
    looked_at: {
      test: (value) => Array.isArray(value) && value.every(isText),
      expected: "a list of text",
    },
    bytes: text,
  }),
  carried_out_again: optional(
    objectOf({
      because: text,
      completed_at: { test: orNull(isTime), expected: "a time in UTC, or null" },
      receipt_no: { test: orNull(isCount), expected: "a whole number, or null" },
      receipt: { test: orNull(isHash), expected: "64 hex digits, or null" },
    }),
  ),
  key_id: text,
  signature: { test: isSignature, expected: "86 characters of base64url (64 bytes)" },
  counts: {
    test: isCounts,
    expected: `an object with the hashes ${countKinds.join(", ")} for each type`,
  },
};

/** Returns a sentence for each error; none if the value is a receipt. */
export function findFormFaults(value: unknown): readonly string[] {
  if (!isJsonObject(value)) return ["It is not a JSON object."];
  const faults = findFaults(value, receiptForm, "");
  const { receipt_no: no, previous_receipt: previous } = value;
  if (faults.length > 0 || (no !== 1 && no !== aloneNo) || previous === noReceiptHash)
    return faults;
  return ["It is the first receipt of its chain or in none, and yet it names one before it."];
}

type Members = Readonly<Record<string, unknown>>;

/** `path`: the path of the object, with a final dot. */
function findFaults(object: Members, form: Form, path: string): readonly string[] {
  const names = new Set([...Object.keys(form), ...Object.keys(object)]);
  return [...names].flatMap((name) => {
    const field = Object.hasOwn(form, name) ? form[name] : undefined;
    if (field === undefined) return [`The field ${path}${name} is not part of a receipt.`];
    if (!Object.hasOwn(object, name)) {
      return field.optional ? [] : [`The field ${path}${name} is missing.`];
    }
    const value = object[name];
    if (!field.test(value)) return [`The field ${path}${name} is not ${field.expected}.`];
    return field.members ? findFaults(value as Members, field.members, `${path}${name}.`) : [];
  });
}

export function isReceipt(value: unknown): value is Receipt {
  return findFormFaults(value).length === 0;
}
