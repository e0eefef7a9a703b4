// Puts a record under a legal hold: until the release, no deletion erases or changes it.

import type { Hold } from "../domain/access.ts";
import type { App } from "./app.ts";
import { findTarget, nameTarget, type Target } from "./find-target.ts";
import { OperatorError } from "./operator-error.ts";

/** Throws OperatorError no_such_record and being_erased, and what findTarget throws. */
export async function holdRecord(app: App, target: Target, reason: string): Promise<Hold> {
  const key = await findTarget(app, target);
  const outcome = await app.store.placeHold(key, reason, { actor: "operator", now: app.now() });
  switch (outcome) {
    case "no_such_record":
      throw new OperatorError("no_such_record", `There is no ${nameTarget(key)} to hold.`);
    case "being_erased":
      throw new OperatorError(
        "being_erased",
        `The ${nameTarget(key)} is being erased already; it is too late for a hold.`,
      );
    default:
      return outcome;
  }
}
