// Validates the structure of a receipt: its fields and their formats. Does not verify the signature.

import { aloneNo, noReceiptHash, type Receipt, receiptType, receiptVersion } from "./receipt.ts";
import { countKinds } from "./receipt-count.ts";

type Test = (value: unknown) => boolean;

interface Field {
  readonly test: Test;
  readonly expected: string;
  readonly optional?: true;
  /** The members of an object that has exactly these members. */
  readonly members?: Form;
}

type Form = Readonly<Record<string, Field>>;

const isText: Test = (value) => typeof value === "string" && value !== "";
const isObject: Test = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isCount: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isHash: Test = (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
const isTime: Test = (value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
/** 64 bytes: the last four bits of 86 characters are unused and must be zero (RFC 4648, section 3.5). */
const isSignature: Test = (value) =>
  typeof value === "string" && /^[A-Za-z0-9_-]{85}[AQgw]$/.test(value);
const isCountHash: Test = (value) =>
  typeof value === "string" && /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(value);
/** Accepts any types, so that a receipt of a version with more of them can be verified. */
const isCounts: Test = (value) =>
  isObject(value) &&
  Object.entries(value as object).every(
    ([type, hashes]) =>
      /^[a-z_]+$/.test(type) &&
      isObject(hashes) &&
      countKinds.every((kind) => Object.hasOwn(hashes as object, kind)) &&
      Object.entries(hashes as object).every(
        ([kind, hash]) => /^[a-z_]+$/.test(kind) && isCountHash(hash),
      ),
  );
const isList: Test = (value) => Array.isArray(value) && value.every(isText);
const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value);

const text: Field = { test: isText, expected: "text" };
const hashed: Field = { test: isCountHash, expected: "a hash in base64url" };
const time: Field = { test: isTime, expected: "a time in UTC" };
const object = (members: Form): Field => ({ test: isObject, expected: "an object", members });

const receiptForm: Form = {
  type: { test: (value) => value === receiptType, expected: `"${receiptType}"` },
  version: { test: (value) => value === receiptVersion, expected: `${receiptVersion}` },
  store_id: text,
  receipt_no: { test: isCount, expected: "a whole number" },
  previous_receipt: { test: isHash, expected: "64 hex digits" },
  organization_id: text,
  deletion_request_id: text,
  asked: object({
    resource_type: text,
    resource_id: text,
    reason: text,
    basis: { ...hashed, optional: true },
    by: text,
    at: time,
  }),
  approval: {
    ...object({
      requester: hashed,
      approver: hashed,
      approved_at: time,
    }),
    optional: true,
  },
  started_at: time,
  completed_at: time,
  verification: object({
    at: time,
    engine: text,
    looked_at: { test: isList, expected: "a list of text" },
    bytes: text,
  }),
  carried_out_again: {
    ...object({
      because: text,
      completed_at: { test: orNull(isTime), expected: "a time in UTC, or null" },
      receipt_no: { test: orNull(isCount), expected: "a whole number, or null" },
      receipt: { test: orNull(isHash), expected: "64 hex digits, or null" },
    }),
    optional: true,
  },
  key_id: text,
  signature: { test: isSignature, expected: "86 characters of base64url (64 bytes)" },
  counts: {
    test: isCounts,
    expected: `an object with the hashes ${countKinds.join(", ")} for each type`,
  },
};

/** Returns a sentence for each error; none if the value is a receipt. */
export function findFormFaults(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return ["It is not a JSON object."];
  }
  const given = value as Readonly<Record<string, unknown>>;
  const faults = [...findFaults(given, receiptForm, "")];
  if (
    faults.length === 0 &&
    (given["receipt_no"] === 1 || given["receipt_no"] === aloneNo) &&
    given["previous_receipt"] !== noReceiptHash
  ) {
    faults.push("It is the first receipt of its chain or in none, and yet it names one before it.");
  }
  return faults;
}

/** `path`: the path of the object, with a final dot. */
function findFaults(
  given: Readonly<Record<string, unknown>>,
  form: Form,
  path: string,
): readonly string[] {
  const faults = Object.entries(form).flatMap(([name, field]) => {
    const { test, expected, optional, members } = field;
    if (!Object.hasOwn(given, name)) {
      return optional ? [] : [`The field ${path}${name} is missing.`];
    }
    const value = given[name];
    if (!test(value)) return [`The field ${path}${name} is not ${expected}.`];
    if (members === undefined) return [];
    return findFaults(value as Readonly<Record<string, unknown>>, members, `${path}${name}.`);
  });
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(form, name))
      faults.push(`The field ${path}${name} is not part of a receipt.`);
  }
  return faults;
}

export function isReceipt(value: unknown): value is Receipt {
  return findFormFaults(value).length === 0;
}
