// What was sent and what was answered, change by change: the standard that a store is compared with
// after a crash. Knows nothing of any store; compare.ts finds out the outcome of unanswered requests.

import type { RecordType } from "../../src/domain/record-type.ts";
import { normaliseTimestamp, type NormalisedTimestamp } from "../../src/domain/timestamp.ts";
import type { Ask } from "../support/http-client.ts";
import type { Fields } from "../support/record-generator.ts";

/**
 * stored: acknowledged, so it exists, once. absent: rejected, so it does not exist. erased:
 * existed, and must never exist again. unknown: unanswered, or acknowledged while a deletion that
 * may erase it was open; exists once or not at all.
 */
export type Standing = "unknown" | "stored" | "absent" | "erased";

export interface SentChange {
  readonly record: SentRecord;
  /**
   * What has to be stored, whatever the order of fields; the last one counts, those before it were
   * redacted.
   */
  readonly texts: string[];
  readonly moment: NormalisedTimestamp;
  standing: Standing;
  /** The text as it was last found in the store, so that it need not be parsed again. */
  foundAs: string | undefined;
}

export interface SentRecord {
  readonly organizationId: string;
  readonly type: RecordType;
  readonly id: string;
  /** In the order of sending; each has a unique number in it, so no two are alike. */
  readonly changes: SentChange[];
  /** Several connections add it concurrently; exactly one of them may succeed. */
  readonly contested: boolean;
  /** A reply said that it exists. */
  toldToExist: boolean;
  /** A deletion of it, or of a related record, was requested since the last check. */
  disturbed: boolean;
}

/**
 * A request that writes. `changes` has an entry for each item, undefined for one that is not a
 * record.
 */
export interface Submission {
  readonly ask: Ask;
  readonly changes: readonly (SentChange | undefined)[];
  /** All or nothing. */
  readonly atomic: boolean;
  /** Of the connection that it was sent on, which sends one at a time. */
  readonly sender: string;
  readonly idempotent: boolean;
  /** The status that the reply has to have; the operation's success status if undefined. */
  readonly refusedWith: number | undefined;
  /** The count that the reply has to contain; the changes that are not doomed if undefined. */
  readonly writeCount: number | undefined;
  /** The reply; undefined until it arrives. */
  answer: { readonly status: number; readonly text: string } | undefined;
}

export interface AskedDeletion {
  readonly target: SentRecord;
  /** The record and all records related to it. */
  readonly family: readonly SentRecord[];
  readonly ask: Ask;
  readonly sender: string;
  readonly idempotent: boolean;
  deletionRequestId: string | undefined;
  standing: "unknown" | "open" | "completed" | "never opened";
  /** Sent while it was open, and belonging only to the target. */
  readonly late: SentChange[];
}

export class Ledger {
  readonly records = new Map<string, SentRecord>();
  readonly deletions: AskedDeletion[] = [];
  /** Since the last check, in the order of sending. */
  readonly recent: Submission[] = [];
  /** Replies that should not have been sent. */
  readonly findings: string[] = [];

  record(
    type: RecordType,
    {
      organizationId,
      id,
      contested = false,
    }: { organizationId: string; id: string; contested?: boolean },
  ): SentRecord {
    const key = keyOf({ organizationId, resourceType: type.resourceType, resourceId: id });
    const known = this.records.get(key);
    if (known !== undefined) return known;
    const record: SentRecord = {
      organizationId,
      type,
      id,
      changes: [],
      contested,
      toldToExist: false,
      disturbed: false,
    };
    this.records.set(key, record);
    return record;
  }

  /**
   * Notes a change before it is sent. One that has to be rejected counts as absent from the start.
   */
  change(record: SentRecord, payload: Fields, { doomed = false } = {}): SentChange {
    const moment = normaliseTimestamp(String(payload["timestamp"])) ?? "";
    const change: SentChange = {
      record,
      texts: [sortedJson(payload)],
      moment,
      standing: doomed ? "absent" : "unknown",
      foundAs: undefined,
    };
    record.changes.push(change);
    return change;
  }
}

export function keyOf(name: {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly resourceId: string;
}): string {
  return `${name.organizationId}/${name.resourceType}/${name.resourceId}`;
}

export function nameOf({ organizationId, type, id }: SentRecord): string {
  return keyOf({ organizationId, resourceType: type.resourceType, resourceId: id });
}

export function textOf({ texts }: SentChange): string {
  return texts.at(-1) ?? "";
}

/** JSON that is the same for the same content. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(
      Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}
