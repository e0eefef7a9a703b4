// Counts the deletions that wait for the floor of a type, before a rule shortens or removes that floor and lets them
// begin. Counts only deletions that this person may know of. Reads a bounded number of deletions and changes nothing.

import { dayMs } from "../../basics/duration.ts";
import { awaitsApproval, type Deletion, openStatuses } from "../../domain/deletion/deletion.ts";
import { isFloorOf, type RetentionRule, weakensFloor } from "../../domain/retention/floor.ts";
import type { App } from "../app.ts";
import { withCurrentFloor } from "../deletion/deletion-wait.ts";
import { requireRight, viewerOf } from "../operator/viewer.ts";

export interface FloorWaits {
  readonly waiting: number;
  /** How many of them may begin now; all of them if the floor will depend on other records or times. */
  readonly due: number;
  /** False if there are more open deletions than were read. */
  readonly isComplete: boolean;
}

const readAtOnce = 1_000;

interface CountBounds {
  readonly readMax: number;
  /** How many deletions are evaluated that the worker has not evaluated yet. */
  readonly evaluatedMax: number;
}

const forCommands: CountBounds = { readMax: 10_000, evaluatedMax: 500 };
/** For a page, which somebody waits for. */
export const briefCount: CountBounds = { readMax: 1_000, evaluatedMax: 20 };

interface Change {
  readonly before: RetentionRule | undefined;
  readonly rule: RetentionRule;
}

/** Counts none if the rule lets no deletion begin earlier. */
export async function countFloorWaits(
  app: App,
  { before, rule }: Change,
  { readMax, evaluatedMax } = forCommands,
): Promise<FloorWaits> {
  requireRight(app, "retention.set");
  const count = { waiting: 0, due: 0, isComplete: true };
  if (before === undefined || !weakensFloor(before, rule)) return count;
  const knows = await viewerOf(app).knowledge(rule.organizationId);
  let evaluated = 0;
  for await (const deletion of listOpen(app, rule.organizationId, readMax)) {
    if (deletion === "more") return { ...count, isComplete: false };
    if (!knows(deletion) || awaitsApproval(deletion)) continue;
    const isEvaluated = deletion.waitingFor !== undefined;
    if (!isEvaluated && ++evaluated > evaluatedMax) return { ...count, isComplete: false };
    const current = isEvaluated ? deletion : await withCurrentFloor(app, deletion);
    const { floorUntil = 0, waitingFor = "" } = current;
    if (floorUntil <= app.now() || !isFloorOf(rule.resourceType, waitingFor)) continue;
    count.waiting += 1;
    if (floorUntil - shortening(before, rule) <= app.now()) count.due += 1;
  }
  return count;
}

function shortening(before: RetentionRule, rule: RetentionRule): number {
  const isShifted =
    rule.keepDays > 0 &&
    rule.countedFrom === before.countedFrom &&
    rule.redactable === before.redactable;
  return isShifted ? (before.keepDays - rule.keepDays) * dayMs : Number.POSITIVE_INFINITY;
}

async function* listOpen(
  app: App,
  organizationId: string,
  readMax: number,
): AsyncGenerator<Deletion | "more"> {
  let read = 0;
  for (const status of openStatuses) {
    let before: Deletion | undefined;
    do {
      const query = { organizationId, status, before, limit: readAtOnce };
      const part = await app.store.listDeletions(query);
      yield* part;
      read += part.length;
      before = part.length < readAtOnce ? undefined : part.at(-1);
      if (before !== undefined && read >= readMax) yield "more";
    } while (before !== undefined && read < readMax);
  }
}

/** How many deletions a rule would request, in a sentence. `last`: where the next part begins, if there is more. */
export function describeRequested({ due, last }: { due: number; last: unknown }): string {
  const more = last === undefined ? "" : "more than ";
  const deletions = due === 1 && more === "" ? "deletion" : "deletions";
  return `It would request ${more}${due.toLocaleString("en")} ${deletions} now.`;
}

const mayWait =
  "More deletions are open than can be examined here; some of them may wait for this floor.";

export function describeFloorWaits({ waiting, due, isComplete }: FloorWaits): string {
  if (waiting === 0) return isComplete ? "" : mayWait;
  const least = isComplete ? "" : "At least ";
  const wait = waiting === 1 ? "deletion waits" : "deletions wait";
  const [all, some] = [waiting, due].map((count) => count.toLocaleString("en"));
  return (
    `${least}${all} ${wait} for this floor; ${some} of them would become due now, unless a hold or another floor ` +
    "keeps them."
  );
}
