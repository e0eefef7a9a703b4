// Places a legal hold on a record: until the last hold is released, no deletion erases or changes the record.

import type { Hold } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { isFullDate } from "../../domain/timestamp.ts";
import { actOf, type App } from "../app.ts";
import { makeId } from "../credential.ts";
import { findTarget, nameTarget, type Target } from "../record/find-named-record.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireLine, requireReason } from "../operator/require-text.ts";
import { findRestrictedSet } from "./restricted-sets.ts";
import { requireRight } from "../operator/viewer.ts";

export interface HoldRequest {
  readonly reason: string;
  readonly owner?: string | undefined;
  /** A date such as `2026-12-31`. */
  readonly reviewOn?: string | undefined;
  /** The deletion request that moved the record to the restricted store; undefined for a record that is not there. */
  readonly restrictedBy?: string | undefined;
}

/**
 * Throws OperatorError not_permitted, no_such_record, no_such_restricted_set, being_erased, too_many_holds and invalid, and
 * what findTarget throws.
 */
export async function holdRecord(app: App, target: Target, wanted: HoldRequest): Promise<Hold> {
  requireRight(app, "hold.place");
  const { reason, owner, reviewOn } = wanted;
  requireReason(reason);
  if (owner !== undefined) requireLine("The owner", owner, limits.nameCharactersMax);
  if (reviewOn !== undefined && !isFullDate(reviewOn)) {
    throw new OperatorError("invalid", "The review date must be a date such as 2026-12-31.");
  }
  const key = await findHoldable(app, target, wanted.restrictedBy);
  const hold = { ...key, holdId: makeId("hold"), reason, owner, reviewOn };
  const outcome = await app.store.holds.place(hold, actOf(app));
  switch (outcome) {
    case "no_such_record":
      throw new OperatorError("no_such_record", `There is no ${nameTarget(key)} to hold.`);
    case "being_erased":
      throw new OperatorError(
        "being_erased",
        `The ${nameTarget(key)} is already being erased; it is too late for a hold.`,
      );
    case "too_many_holds":
      throw new OperatorError(
        "too_many_holds",
        `The ${nameTarget(key)} already has ${limits.holdsOfRecordMax} holds, the maximum. Release one first.`,
      );
    default:
      return outcome;
  }
}

async function findHoldable(
  app: App,
  target: Target,
  restrictedBy: string | undefined,
): Promise<RecordKey> {
  const key = await findTarget(app, target);
  if (restrictedBy === undefined) return key;
  const { organizationId } = key;
  const set = await findRestrictedSet(app, organizationId, restrictedBy);
  return { ...key, organizationId: set.organizationId };
}
