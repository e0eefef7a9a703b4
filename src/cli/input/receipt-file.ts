// Reads a file of receipts in any form in which somebody has them: one, a status object, a list, or a line each. Does not
// evaluate what they are.

import { readFileSync } from "node:fs";
import { findRepeatedName } from "../../domain/json/repeated-name.ts";
import { OperatorError } from "../../actions/operator-error.ts";

const bytesMax = 256 * 1_024 * 1_024;

/** At least one. Throws OperatorError that says where the file stops to be JSON, or names a field twice. */
export function readReceiptFile(path: string): readonly unknown[] {
  const content = readText(path);
  const whole = parse(content);
  if (whole.ok) {
    refuseRepeated(path, content);
    const values: readonly unknown[] = Array.isArray(whole.value) ? whole.value : [whole.value];
    if (values.length === 0) throw new OperatorError("file", `${path} holds no receipt.`);
    return values.map(receiptOf);
  }
  const lines = content.split("\n");
  const given = lines.filter((line) => line.trim() !== "");
  if (given.length < 2 || !parse(given[0] ?? "").ok) {
    throw new OperatorError("file", `${path} is not JSON, or was cut: ${whole.why}.`);
  }
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const read = parse(line);
    if (read.ok) {
      refuseRepeated(`${path}, line ${index + 1},`, line);
      return [receiptOf(read.value)];
    }
    throw new OperatorError(
      "file",
      `${path}, line ${index + 1}, is not JSON, or was cut: ${read.why}.`,
    );
  });
}

/** Readers may disagree about which of the two counts, and so about what was signed. */
function refuseRepeated(place: string, text: string): void {
  const name = findRepeatedName(text);
  if (name === undefined) return;
  throw new OperatorError(
    "file",
    `${place} has the field ${JSON.stringify(name)} twice in one object.`,
  );
}

function readText(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes; split it`);
    return bytes.toString("utf8");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError("file", `${path} can't be read: ${why}.`, { cause });
  }
}

type Parsed =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

function parse(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

/** The status of a deletion holds its receipt. */
function receiptOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { receipt, signature } = value as { receipt?: unknown; signature?: unknown };
  return receipt !== undefined && signature === undefined ? receipt : value;
}
