// A write of one draft or many: strict lists are all or nothing, lenient ones are judged item by item. Drafts apply one
// after another, so that a second one with the same id meets the first.

import type { DraftOutcome, RecordWrite } from "../../domain/record-write.ts";
import type { Group } from "./group.ts";
import { once } from "./idempotency.ts";
import { packDrafts, type PackedOutcome } from "../packed-outcome.ts";
import { type DraftContext, writeDraft } from "./record.ts";

/** Throws AppError idempotency_reused, before anything was written. */
export function writeRecords(group: Group, write: RecordWrite): PackedOutcome {
  const { organizationId, idempotency: mark, receivedAt: now } = write;
  return once(group, { organizationId, mark, now }, () => judge(group, write));
}

function judge(group: Group, write: RecordWrite): PackedOutcome {
  // A single draft decides before it writes, so there is never anything to undo.
  if (write.lenient || write.drafts.length <= 1) return describe(writeDrafts(group, write));
  group.connection.run("SAVEPOINT list");
  const outcomes = writeDrafts(group, write);
  const refused = outcomes.some(isRefusal);
  if (refused) group.connection.run("ROLLBACK TO list");
  group.connection.run("RELEASE list");
  return refused ? { written: 0, drafts: packDrafts(outcomes) } : describe(outcomes);
}

function writeDrafts(group: Group, write: RecordWrite): readonly DraftOutcome[] {
  const { organizationId, resourceType, receivedAt, mode } = write;
  const replyKey = write.idempotency?.keyHash ?? null;
  const context: DraftContext = { organizationId, resourceType, receivedAt, replyKey };
  return write.drafts.map((draft) => writeDraft(group, context, { mode, draft }));
}

function describe(outcomes: readonly DraftOutcome[]): PackedOutcome {
  const written = outcomes.filter((outcome) => outcome === "created" || outcome === "updated");
  return { written: written.length, drafts: packDrafts(outcomes) };
}

function isRefusal(outcome: DraftOutcome): boolean {
  return outcome !== "created" && outcome !== "updated" && outcome !== "unchanged";
}
