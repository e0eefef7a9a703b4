// Whether something is a receipt at all: which fields it has to have, and in what form. Says nothing about who signed it.

import { noReceiptHash, type Receipt, receiptType, receiptVersion } from "./receipt.ts";

type Test = (value: unknown) => boolean;

interface Field {
  readonly test: Test;
  readonly expected: string;
  readonly optional?: true;
}

const isText: Test = (value) => typeof value === "string" && value !== "";
const isObject: Test = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isCount: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isHash: Test = (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
const isTime: Test = (value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
const isSignature: Test = (value) => typeof value === "string" && /^[A-Za-z0-9_-]{86}$/.test(value);

const fields: Readonly<Record<keyof Receipt, Field>> = {
  type: { test: (value) => value === receiptType, expected: `"${receiptType}"` },
  version: { test: (value) => value === receiptVersion, expected: `${receiptVersion}` },
  store_id: { test: isText, expected: "text" },
  receipt_no: { test: (value) => isCount(value) && value !== 0, expected: "a whole number from 1" },
  previous_receipt: { test: isHash, expected: "64 hex digits" },
  organization_id: { test: isText, expected: "text" },
  deletion_request_id: { test: isText, expected: "text" },
  asked: { test: isObject, expected: "an object" },
  started_at: { test: isTime, expected: "a time in UTC" },
  completed_at: { test: isTime, expected: "a time in UTC" },
  erased: { test: isObject, expected: "an object" },
  references_removed: { test: isCount, expected: "a whole number" },
  verification: { test: isObject, expected: "an object" },
  carried_out_again: { test: isObject, expected: "an object", optional: true },
  key_id: { test: isText, expected: "text" },
  signature: { test: isSignature, expected: "86 characters of base64url (64 bytes)" },
};

/** What is wrong with its form, a sentence each; none if it is a receipt. */
export function findFormFaults(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return ["It is not a JSON object."];
  }
  const given = value as Readonly<Record<string, unknown>>;
  const faults = Object.entries(fields).flatMap(([name, { test, expected, optional }]) => {
    if (!Object.hasOwn(given, name)) return optional ? [] : [`The field ${name} is missing.`];
    return test(given[name]) ? [] : [`The field ${name} is not ${expected}.`];
  });
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(fields, name)) faults.push(`The field ${name} is none of a receipt's.`);
  }
  if (
    faults.length === 0 &&
    given["receipt_no"] === 1 &&
    given["previous_receipt"] !== noReceiptHash
  ) {
    faults.push("It is the first receipt of its store, and yet it names one before it.");
  }
  return faults;
}

export function isReceipt(value: unknown): value is Receipt {
  return findFormFaults(value).length === 0;
}
