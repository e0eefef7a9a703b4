// Compares what a store holds with what was sent and answered, record by record and change by change. Only reports;
// alters neither. After a check, the outcome of requests that were never answered is known, and counts as reported from
// then on.

import {
  type Ledger,
  nameOf,
  type SentChange,
  type SentRecord,
  sortedJson,
  type Submission,
  textOf,
} from "./ledger.ts";
import type { Stored, StoredRecord } from "./stored.ts";

export type FindingKind =
  /** An acknowledged change is missing. */
  | "lost"
  /** A change is stored more than once. */
  | "twice"
  /** A rejected change is stored, or an erased one is stored again. */
  | "unwanted"
  /** Something is stored that nobody sent, at least in this form. */
  | "never sent"
  /** An all-or-nothing request is stored in part. */
  | "half"
  /** The changes of a record are not in the order in which they were sent. */
  | "order"
  /** first_seen or last_seen does not match the changes. */
  | "times"
  /** The engine or the store's own check reports an error. */
  | "integrity";

export interface Finding {
  readonly kind: FindingKind;
  readonly about: string;
  readonly detail: string;
}

export function compare(ledger: Ledger, stored: Stored): readonly Finding[] {
  const findings: Finding[] = stored.faults.map((detail) => ({
    kind: "integrity",
    about: "",
    detail,
  }));
  for (const record of ledger.records.values()) {
    findings.push(...compareRecord(record, stored.records.get(nameOf(record))));
  }
  for (const key of stored.records.keys()) {
    if (!ledger.records.has(key))
      findings.push({ kind: "never sent", about: key, detail: "the record" });
  }
  for (const submission of ledger.recent) findings.push(...compareWhole(submission, stored));
  return findings;
}

function compareRecord(record: SentRecord, stored: StoredRecord | undefined): readonly Finding[] {
  const findings: Finding[] = [];
  const about = nameOf(record);
  const report = (kind: FindingKind, detail: string) => findings.push({ kind, about, detail });
  const { positions, unexpected } = match(record, stored?.payloads ?? []);
  for (const payload of unexpected) report("never sent", payload);
  for (const change of record.changes) {
    const count = positions.get(change)?.length ?? 0;
    if (count > 1) report("twice", `${count} times: ${textOf(change)}`);
    if (count === 0 && change.standing === "stored") report("lost", textOf(change));
    if (count > 0 && (change.standing === "absent" || change.standing === "erased")) {
      report("unwanted", `${change.standing}: ${textOf(change)}`);
    }
  }
  const present = record.changes.filter((change) => positions.has(change));
  if (record.contested) {
    if (present.length > 1) report("twice", `${present.length} additions succeeded`);
    if (present.length === 0 && record.toldToExist) report("lost", "a reply said that it exists");
  } else if (!isAscending(present.map((change) => positions.get(change)?.[0] ?? 0))) {
    report("order", `${present.length} changes`);
  }
  if (stored !== undefined) {
    const fault = timesFault(present, stored);
    if (fault !== undefined) report("times", fault);
  }
  return findings;
}

/** Where each change is found in the store, and what is found that is not a change. */
function match(
  { changes }: SentRecord,
  payloads: readonly string[],
): { positions: ReadonlyMap<SentChange, readonly number[]>; unexpected: readonly string[] } {
  const positions = new Map<SentChange, number[]>();
  const unexpected: string[] = [];
  for (const [position, payload] of payloads.entries()) {
    const change =
      changes.find(({ foundAs }) => foundAs === payload) ?? findByContent(changes, payload);
    if (change === undefined) unexpected.push(payload);
    else positions.set(change, [...(positions.get(change) ?? []), position]);
  }
  return { positions, unexpected };
}

function findByContent(changes: readonly SentChange[], payload: string): SentChange | undefined {
  try {
    const text = sortedJson(JSON.parse(payload));
    return changes.find((change) => textOf(change) === text);
  } catch {
    return undefined;
  }
}

function timesFault(present: readonly SentChange[], stored: StoredRecord): string | undefined {
  if (present.length === 0) return "the record is there without a change";
  const moments = present.map(({ moment }) => moment).sort();
  if (stored.firstSeen !== moments[0]) return `first seen ${stored.firstSeen}, not ${moments[0]}`;
  const last = moments.at(-1);
  return stored.lastSeen === last ? undefined : `last seen ${stored.lastSeen}, not ${last}`;
}

/** An unanswered all-or-nothing request; answered ones are compared change by change. */
function compareWhole(
  { atomic, answer, changes, ask }: Submission,
  stored: Stored,
): readonly Finding[] {
  if (!atomic || answer !== undefined || changes.length < 2) return [];
  const present = changes.filter((change) => change !== undefined && isPresent(change, stored));
  if (present.length === 0 || present.length === changes.length) return [];
  const detail = `${present.length} of ${changes.length} changes of ${ask.method} ${ask.path}`;
  return [{ kind: "half", about: ask.path, detail }];
}

export function isPresent(change: SentChange, stored: Stored): boolean {
  const payloads = stored.records.get(nameOf(change.record))?.payloads ?? [];
  return match(change.record, payloads).positions.has(change);
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
}

interface Resolved {
  /** Unanswered changes that turned out to be stored. */
  readonly stored: number;
  readonly absent: number;
}

export function resolveUnanswered(ledger: Ledger, stored: Stored): Resolved {
  const learned = { stored: 0, absent: 0 };
  for (const [key, record] of ledger.records) {
    const { positions } = match(record, stored.records.get(nameOf(record))?.payloads ?? []);
    for (const change of record.changes) {
      const position = positions.get(change)?.[0];
      change.foundAs =
        position === undefined ? undefined : stored.records.get(key)?.payloads[position];
      if (change.standing !== "unknown") continue;
      change.standing = position === undefined ? "absent" : "stored";
      learned[change.standing] += 1;
    }
    record.disturbed = false;
    forgetRefused(record);
  }
  ledger.recent.length = 0;
  return learned;
}

/** Rejected changes are searched for once; erased ones as long as the campaign lasts. */
function forgetRefused({ changes }: SentRecord): void {
  for (let index = changes.length - 1; index >= 0; index -= 1) {
    if (changes[index]?.standing === "absent") changes.splice(index, 1);
  }
}
