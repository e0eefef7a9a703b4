// Writes one draft or many: strict lists are all or nothing, lenient lists are evaluated item by item. Drafts take
// effect one after another, so that a second draft with the same id sees the first.

import { organizationClosed } from "../../../domain/deletion/organization-deletion.ts";
import { countWritten, isListRefused } from "../../../domain/record/draft-outcome.ts";
import type { Draft, DraftOutcome, RecordWrite } from "../../../domain/record/record-write.ts";
import {
  packCreated,
  packDrafts,
  packEach,
  packRepeated,
  type PackedOutcome,
} from "../../group/packed-outcome.ts";
import { once } from "../../group/group-replies.ts";
import type { Group } from "./group.ts";
import { repliesIn } from "./idempotency.ts";
import { insertNew, mayBeNew, type NewRecord, nextPartSize, removeNew } from "./new-records.ts";
import { type DraftContext, writeDraft } from "./record.ts";

/**
 * Throws AppError idempotency_reused, and credential_revoked if the organization is closed, before anything was
 * written.
 */
export function writeRecords(group: Group, write: RecordWrite): PackedOutcome {
  const { organizationId, idempotency: mark, receivedAt: now } = write;
  if (group.isClosed(organizationId)) throw organizationClosed();
  if (write.marks !== undefined) return packEach(write, (one) => writeRecords(group, one));
  if (mark === undefined) return evaluate(group, write);
  const perform = () => evaluate(group, write);
  const replies = repliesIn(group.connection);
  return once(replies, { organizationId, mark, now }, { perform, repeat: packRepeated });
}

function evaluate(group: Group, write: RecordWrite): PackedOutcome {
  const { drafts, lenient } = write;
  const context = contextOf(write);
  const { parts, count } = storeNewParts(group, context, write);
  if (count === drafts.length) return packCreated(count);
  // A single draft is decided before it is written, so there is nothing to undo.
  if (drafts.length === 1) return describe(writeEach(group, context, write), write);
  if (lenient) {
    const rest = writeEach(group, context, { mode: write.mode, drafts: drafts.slice(count) });
    return describe([...Array.from({ length: count }, () => "created" as const), ...rest], write);
  }
  for (const part of parts.toReversed()) removeNew(group, context, part);
  return evaluateStrictly(group, context, write);
}

function evaluateStrictly(group: Group, context: DraftContext, write: RecordWrite): PackedOutcome {
  group.connection.run("SAVEPOINT list");
  const outcomes = writeEach(group, context, write);
  if (isListRefused(outcomes, write)) group.connection.run("ROLLBACK TO list");
  group.connection.run("RELEASE list");
  return describe(outcomes, write);
}

function contextOf(write: RecordWrite): DraftContext {
  const { organizationId, resourceType, receivedAt } = write;
  return { organizationId, resourceType, receivedAt, replyKey: write.idempotency?.keyHash ?? null };
}

interface Part {
  readonly records: readonly NewRecord[];
  readonly firstNo: number;
}

/** Stores the drafts part by part as long as all records of a part are new; returns the parts that were stored. */
function storeNewParts(
  group: Group,
  context: DraftContext,
  write: RecordWrite,
): { readonly parts: readonly Part[]; readonly count: number } {
  const { drafts } = write;
  const { receivedAt, replyKey } = context;
  const parts: Part[] = [];
  let count = 0;
  while (count < drafts.length && mayBeNew(group, write)) {
    const part = drafts.slice(count, count + nextPartSize(drafts.length - count));
    const records = part.map((draft) => ({ draft, receivedAt, replyKey }));
    const firstNo = insertNew(group, context, records);
    if (firstNo === undefined) break;
    parts.push({ records, firstNo });
    count += part.length;
  }
  return { parts, count };
}

function writeEach(
  group: Group,
  context: DraftContext,
  { mode, drafts }: { readonly mode: RecordWrite["mode"]; readonly drafts: readonly Draft[] },
): readonly DraftOutcome[] {
  return drafts.map((draft) => writeDraft(group, context, { mode, draft }));
}

function describe(outcomes: readonly DraftOutcome[], write: RecordWrite): PackedOutcome {
  return { written: countWritten(outcomes, write), drafts: packDrafts(outcomes) };
}
