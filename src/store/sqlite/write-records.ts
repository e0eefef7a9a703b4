// A write of one draft or many: strict lists are all or nothing, lenient ones are judged item by item. Drafts apply one
// after another, so that a second one with the same id meets the first.

import type { DraftOutcome, RecordWrite } from "../../domain/record-write.ts";
import type { Group } from "./group.ts";
import { once } from "./idempotency.ts";
import { packDrafts, type PackedOutcome } from "../packed-outcome.ts";
import { insertNew, mayBeNew, nextPartSize } from "./new-records.ts";
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
  const { organizationId, resourceType, receivedAt, mode, drafts } = write;
  const replyKey = write.idempotency?.keyHash ?? null;
  const context: DraftContext = { organizationId, resourceType, receivedAt, replyKey };
  const outcomes: DraftOutcome[] = [];
  // Where one part was not all new the next will hardly be, so it is not tried again.
  let stored = insertNextPart(group, context, { mode, drafts, from: 0 });
  while (stored > 0) {
    for (let count = 0; count < stored; count += 1) outcomes.push("created");
    stored = insertNextPart(group, context, { mode, drafts, from: outcomes.length });
  }
  for (const draft of drafts.slice(outcomes.length)) {
    outcomes.push(writeDraft(group, context, { mode, draft }));
  }
  return outcomes;
}

/** How many were stored together; 0 if each has to be judged on its own. */
function insertNextPart(
  group: Group,
  context: DraftContext,
  { mode, drafts, from }: Pick<RecordWrite, "mode" | "drafts"> & { readonly from: number },
): number {
  const size = nextPartSize(drafts.length - from);
  if (size === undefined) return 0;
  const part = drafts.slice(from, from + size);
  if (!part.every((draft) => mayBeNew(group, mode, draft))) return 0;
  const { receivedAt, replyKey } = context;
  const records = part.map((draft) => ({ draft, receivedAt, replyKey }));
  return insertNew(group, context, records) ? size : 0;
}

function describe(outcomes: readonly DraftOutcome[]): PackedOutcome {
  const written = outcomes.filter((outcome) => outcome === "created" || outcome === "updated");
  return { written: written.length, drafts: packDrafts(outcomes) };
}

function isRefusal(outcome: DraftOutcome): boolean {
  return outcome !== "created" && outcome !== "updated" && outcome !== "unchanged";
}
