// Evaluates the writes of a group in order, in memory: the outcome of each draft, and the rows to store. The engine has
// already read everything that this needs.

import type { AppError } from "../../domain/error.ts";
import { countWritten, decideOutcome, isListRefused } from "../../domain/record/draft-outcome.ts";
import {
  type DraftOutcome,
  type Draft,
  keyText,
  type RecordWrite,
} from "../../domain/record/record-write.ts";
import { performOnce, RepliesOfGroup, type StoredReply } from "./group-replies.ts";
import {
  packDrafts,
  packEach,
  packRepeated,
  type PackedOutcome,
  type Result,
  resultOf,
} from "./packed-outcome.ts";
import { type ChangeOfGroup, type KnownRecord, RecordsOfGroup } from "./group-records.ts";

/** What the engine has read. Records have their keys as text. */
export interface Known {
  readonly records: ReadonlyMap<string, KnownRecord>;
  /** Why all writes of an organization are refused. */
  readonly refusals: ReadonlyMap<string, AppError>;
  /** Records that writes must not change, because of an open deletion. */
  readonly closed: ReadonlySet<string>;
  /** True if a stored change of the record has this payload. */
  readonly hasIdentical: (key: string, payload: string) => boolean;
  readonly replies: readonly StoredReply[];
}

export type Evaluation = Result<PackedOutcome>;

export interface GroupEvaluation {
  /** In the order of the writes. */
  readonly evaluations: readonly Evaluation[];
  readonly records: RecordsOfGroup;
  readonly changes: readonly ChangeOfGroup[];
  readonly replies: readonly StoredReply[];
}

export function evaluateGroup(writes: readonly RecordWrite[], known: Known): GroupEvaluation {
  const records = new RecordsOfGroup(known.records);
  const replies = new RepliesOfGroup(known.replies);
  const evaluations = writes.map((write) => evaluateOnce(write, { known, records, replies }));
  return { evaluations, records, changes: records.changes, replies: replies.added };
}

interface Group {
  readonly known: Known;
  readonly records: RecordsOfGroup;
  readonly replies: RepliesOfGroup;
}

function evaluateOnce(write: RecordWrite, group: Group): Evaluation {
  return resultOf(() => {
    const refusal = group.known.refusals.get(write.organizationId);
    if (refusal !== undefined) throw refusal;
    if (write.marks === undefined) return evaluateMarked(write, group);
    return packEach(write, (one) => evaluateMarked(one, group));
  });
}

function evaluateMarked(write: RecordWrite, group: Group): PackedOutcome {
  const { idempotency: mark, organizationId, receivedAt: now } = write;
  const marked = { organizationId, mark, now };
  const perform = () => evaluate(write, group);
  return performOnce(group.replies, marked, { perform, repeat: packRepeated });
}

function evaluate(write: RecordWrite, group: Group): PackedOutcome {
  const standsAlone = write.lenient || write.drafts.length <= 1;
  if (!standsAlone) group.records.savepoint();
  const outcomes = write.drafts.map((draft) => evaluateDraft(write, draft, group));
  if (!standsAlone && isListRefused(outcomes, write)) group.records.rollBack();
  return { written: countWritten(outcomes, write), drafts: packDrafts(outcomes) };
}

function evaluateDraft(write: RecordWrite, draft: Draft, { known, records }: Group): DraftOutcome {
  const { organizationId, resourceType, mode } = write;
  const record = { organizationId, resourceType, resourceId: draft.id };
  const key = keyText(record);
  const outcome = decideOutcome(mode, {
    isClosed: () => known.closed.has(key),
    exists: () => records.exists(key),
    hasIdentical: () =>
      records.hasIdentical(key, draft.payload) || known.hasIdentical(key, draft.payload),
  });
  if (outcome === "created") records.create(key, { record, write, draft });
  if (outcome === "updated") records.append(key, { record, write, draft });
  return outcome;
}
