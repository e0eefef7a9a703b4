// Reads files of receipts in any of the forms that people store them in: one receipt, the status of a deletion, a list, or
// NDJSON; and files of public keys. Does not verify them.

import { readFileSync } from "node:fs";
import { OperatorError, reasonOf } from "../../actions/operator-error.ts";
import { findRepeatedName } from "../../domain/json/repeated-name.ts";

const bytesMax = 256 * 1_024 * 1_024;

/** At least one. Throws OperatorError that says where the file is not JSON, or which field an object has twice. */
export function readReceiptFile(path: string): readonly unknown[] {
  const content = readText(path);
  const whole = parse(content);
  if (whole.ok) {
    requireUnique(path, content);
    const values: readonly unknown[] = Array.isArray(whole.value) ? whole.value : [whole.value];
    if (values.length === 0) throw new OperatorError("file", `${path} contains no receipt.`);
    return values.map(receiptOf);
  }
  const lines = content.split("\n");
  const given = lines.filter((line) => line.trim() !== "");
  if (given.length < 2 || !parse(given[0] ?? "").ok) throw notJson(path, whole.why);
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const place = `${path}, line ${index + 1},`;
    const read = parse(line);
    if (!read.ok) throw notJson(place, read.why);
    requireUnique(place, line);
    return [receiptOf(read.value)];
  });
}

function notJson(place: string, why: string): OperatorError {
  return new OperatorError("file", `${place} is not JSON, or is truncated: ${why}.`);
}

/** Readers may disagree on which of two fields with the same name counts, and so on what was signed. */
function requireUnique(place: string, text: string): void {
  const name = findRepeatedName(text);
  if (name === undefined) return;
  throw new OperatorError("file", `${place} has the field "${name}" twice in one object.`);
}

function readText(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes; split it`);
    return bytes.toString("utf8");
  } catch (cause) {
    throw new OperatorError("file", `${path} can't be read: ${reasonOf(cause)}.`, { cause });
  }
}

type Parsed =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

function parse(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    return { ok: false, why: reasonOf(error) };
  }
}

/** The status of a deletion contains its receipt. */
function receiptOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { receipt, signature } = value as { receipt?: unknown; signature?: unknown };
  return receipt !== undefined && signature === undefined ? receipt : value;
}

/** A file of public keys as JSON. Throws an error that says what is wrong. */
export function readKeysFile(path: string): unknown {
  const content = readFileSync(path, "utf8");
  const value: unknown = JSON.parse(content);
  const repeated = findRepeatedName(content);
  if (repeated !== undefined) throw new TypeError(`it has the field "${repeated}" twice`);
  return value;
}
