// Verifies exported entries of the audit trail, one after another, without a store: each entry is unchanged, and none
// is missing in between.

import { hash } from "node:crypto";
import {
  type AuditHead,
  type AuditRow,
  emptyChain,
  mayFollow,
  textOfAuditRow,
} from "../../domain/audit-chain.ts";
import { isJsonObject } from "../../domain/schema/schema-shape.ts";

export class TrailVerifier {
  #previous: AuditHead | undefined;

  add(value: unknown): { readonly row: AuditRow | undefined; readonly faults: readonly string[] } {
    const row = readRow(value);
    if (row === undefined) {
      return { row, faults: ["A line is not an entry of the audit trail, or lacks fields."] };
    }
    const faults = [...findChanges(row, value), ...this.#findChainFaults(row)];
    this.#previous = { entry_no: row.entry_no, hash: row.hash };
    return { row, faults };
  }

  /** Missing entries before this one are reported as missing, and do not make this entry invalid. */
  #findChainFaults(row: AuditRow): readonly string[] {
    const previous = this.#previous ?? (row.entry_no === 1 ? emptyChain : undefined);
    if (previous === undefined || mayFollow(row, previous)) return [];
    const [number, before] = [row.entry_no, previous.entry_no];
    if (number === before) return [`There are two entries with the number ${number}.`];
    if (number < before)
      return [`Entry ${number} comes after number ${before}: they were re-ordered.`];
    if (number === before + 1) {
      return [`Entry ${number} does not follow from number ${before}: one of them was replaced.`];
    }
    const [first, last] = [before + 1, number - 1];
    return [
      first === last
        ? `Entry ${first} is missing.`
        : `The entries from ${first} to ${last} are missing.`,
    ];
  }
}

/** The hash covers all fields except `time`, which repeats `at`. */
function findChanges(row: AuditRow, value: unknown): readonly string[] {
  const isSame =
    hash("sha256", textOfAuditRow(row)) === row.hash &&
    (value as { readonly time?: unknown }).time === formatTimestamp(row.at);
  return isSame ? [] : [`Entry ${row.entry_no} was changed: it differs from its hash.`];
}

function readRow(value: unknown): AuditRow | undefined {
  if (!isJsonObject(value)) return undefined;
  const { entry_no, at, actor, action, organization_id, subject, previous_hash } = value;
  const { detail, hash: own } = value;
  const texts = [actor, action, subject, previous_hash, own, organization_id ?? ""];
  const isRow =
    Number.isSafeInteger(entry_no) &&
    Number.isSafeInteger(at) &&
    texts.every((text) => typeof text === "string") &&
    isJsonObject(detail);
  if (!isRow) return undefined;
  const row = { entry_no, at, actor, action, organization_id, subject, previous_hash, hash: own };
  return { ...row, detail: JSON.stringify(detail) } as AuditRow;
}

function formatTimestamp(unixMs: number): string | undefined {
  const date = new Date(unixMs);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
