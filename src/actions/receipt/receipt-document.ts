// Reads documents of receipts in any of the forms that people store them in: one receipt, the status of a deletion, a
// list, or NDJSON. Does not verify them.

import { manifestLineStart } from "../../domain/export-manifest.ts";
import { findRepeatedName } from "../../domain/json/repeated-name.ts";
import { OperatorError, reasonOf } from "../operator/operator-error.ts";

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
  readonly disclosures: readonly GivenDisclosures[];
}

/** Messages call the document `name`. Throws OperatorError, also for a document without a receipt. */
export function readReceipts(name: string, text: string): ReceiptDocument {
  const values = readValues(name, text);
  if (values.length === 0) throw new OperatorError("file", `${name} contains no receipt.`);
  return {
    receipts: values.map(({ value }) => receiptOf(value)),
    statuses: values.map(({ value }) => (receiptOf(value) === value ? undefined : value)),
    disclosures: values.flatMap(({ name: place, value }) => {
      const receipt = receiptOf(value);
      if (receipt === value) return [];
      const { disclosures, disclosed_approval, disclosed_basis } = value as Record<string, unknown>;
      if (disclosures === undefined) return [];
      const { deletion_request_id, receipt_no } = (receipt ?? {}) as Record<string, unknown>;
      return [
        {
          name: place,
          value: {
            deletion_request_id,
            receipt_no,
            disclosures,
            disclosed_approval,
            disclosed_basis,
          },
        },
      ];
    }),
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
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    return { ok: false, why: reasonOf(error) };
  }
}

/** The status of a deletion contains its receipt. */
export function receiptOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { receipt, signature } = value as { receipt?: unknown; signature?: unknown };
  return receipt !== undefined && signature === undefined ? receipt : value;
}
