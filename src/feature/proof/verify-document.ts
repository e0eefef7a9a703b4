// Verifies documents of receipts, in any of the forms that people store them in, with everything that they say: the
// receipts, the numbers and the people that are disclosed with them, and the statuses that contained them, which can be
// edited. Works offline: uses neither the store nor the network.

import type { Receipt } from "../../domain/deletion/receipt.ts";
import type { PublishedKeys } from "../../actions/receipt/receipt-keys.ts";
import { type ReceiptVerdict, verifyReceipts } from "../../actions/receipt/verify-receipt.ts";
import { manifestLineStart } from "../../domain/export-manifest.ts";
import { isJsonObject } from "../../domain/schema/schema-shape.ts";
import { isNestedDeeper } from "../../domain/json/json-value.ts";
import { findRepeatedName, writtenLevelsMax } from "../../domain/json/repeated-name.ts";
import { membersOf, type StatusVerdict, verifyStatus } from "./verify-status.ts";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";

export type DocumentVerdict = ReceiptVerdict & StatusVerdict;

export interface VerifiedDocument {
  readonly verdicts: readonly DocumentVerdict[];
  /** A sentence for each disclosure that belongs to none of the receipts. */
  readonly faults: readonly string[];
}

/** `disclosures`: those of other files. */
export function verifyDocument(
  { receipts, statuses }: ReceiptDocument,
  disclosures: readonly GivenDisclosures[],
  published: PublishedKeys,
): VerifiedDocument {
  const genuine = verifyReceipts(receipts, published);
  const used = new Set<GivenDisclosures>();
  const verdicts = genuine.map((verdict, at): DocumentVerdict => {
    const { receipt } = verdict;
    const none = { disclosed: {}, undisclosed: [], unverified: [] };
    if (receipt === undefined) return { ...verdict, ...none };
    const mine = disclosures.filter(({ value }) => isOf(value, receipt));
    for (const one of mine) used.add(one);
    const disclosing = mine.map(({ value }) => membersOf(value));
    const { faults, ...found } = verifyStatus(receipt, statuses[at], { disclosing, published });
    return { ...verdict, ...found, faults: [...verdict.faults, ...faults] };
  });
  const unused = disclosures.filter((one) => !used.has(one)).map(describeUnused);
  return { verdicts, faults: unused };
}

/** A replay after a restore has its own receipt, so the receipt number has to match too, if there is one. */
function isOf(value: unknown, receipt: Receipt): boolean {
  const { deletion_request_id: id, receipt_no: no, disclosures } = membersOf(value);
  const isSame =
    id === receipt.deletion_request_id && (no ?? receipt.receipt_no) === receipt.receipt_no;
  return isSame && disclosures !== undefined;
}

function describeUnused({ name, value }: GivenDisclosures): string {
  const { deletion_request_id: id, receipt_no: no, disclosures } = membersOf(value);
  if (typeof id !== "string" || disclosures === undefined) {
    return `${name} is not {"deletion_request_id", "receipt_no", "disclosures"}.`;
  }
  const number = typeof no === "number" ? ` number ${no}` : "";
  return `${name} is of the deletion ${id}; its receipt${number} is not among those to verify.`;
}

/** JSON that claims to be disclosures, and where it was found. */
export interface GivenDisclosures {
  /** Such as `disclosures.json, line 2`. */
  readonly name: string;
  readonly value: unknown;
}

export interface ReceiptDocument {
  readonly receipts: readonly unknown[];
  /** For each receipt, the status that contained it; undefined for a receipt on its own. */
  readonly statuses: readonly unknown[];
}

/** Messages call the document `name`. Throws OperatorError, also for a document without a receipt. */
export function readReceipts(name: string, text: string): ReceiptDocument {
  const values = readValues(name, text);
  if (values.length === 0) throw new OperatorError("file", `${name} contains no receipt.`);
  return {
    receipts: values.map(({ value }) => receiptOf(value)),
    statuses: values.map(({ value }) => (receiptOf(value) === value ? undefined : value)),
  };
}

/** Reads one value, a list of values, or NDJSON, each with its place for messages. Throws OperatorError as above. */
export function readValues(path: string, content: string): readonly GivenDisclosures[] {
  const whole = parse(content);
  if (whole.ok) {
    requireUnique(path, content);
    const { value } = whole;
    if (!Array.isArray(value)) return [{ name: path, value }];
    const items: readonly unknown[] = value;
    return items.map((item, index) => ({ name: `${path}, item ${index + 1},`, value: item }));
  }
  const lines = content.split("\n");
  const given = lines.filter((line) => line.trim() !== "");
  if (given.length < 2 || !parse(given[0] ?? "").ok) throw notJson(path, whole.why);
  return lines.flatMap((line, index) => {
    if (line.trim() === "" || line.startsWith(manifestLineStart)) return [];
    const name = `${path}, line ${index + 1},`;
    const read = parse(line);
    if (!read.ok) throw notJson(name, read.why);
    requireUnique(name, line);
    return [{ name, value: read.value }];
  });
}

function notJson(place: string, why: string): OperatorError {
  return new OperatorError("file", `${place} is not JSON, or is truncated: ${why}.`);
}

/** Readers may disagree on which of two fields with the same name counts, and on what was signed. */
function requireUnique(place: string, text: string): void {
  const name = findRepeatedName(text);
  if (name === undefined) return;
  throw new OperatorError("file", `${place} has the field "${name}" twice in one object.`);
}

type Parsed = Readonly<{ ok: true; value: unknown } | { ok: false; why: string }>;

function parse(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    // A list may be around what was written.
    const isDeep = isNestedDeeper(value, writtenLevelsMax + 1);
    return isDeep ? { ok: false, why: "it has too many levels" } : { ok: true, value };
  } catch (error) {
    return { ok: false, why: reasonOf(error) };
  }
}

/** The status of a deletion contains its receipt. */
export function receiptOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { receipt, signature } = value;
  return receipt !== undefined && signature === undefined ? receipt : value;
}
