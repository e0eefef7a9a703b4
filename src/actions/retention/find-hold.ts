// The hold that an operator named by its id.

import type { Hold } from "../../domain/access.ts";
import type { App } from "../app.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { viewerOf } from "../operator/viewer.ts";

/** Throws OperatorError no_such_hold. */
export async function findHold(app: App, holdId: string): Promise<Hold> {
  const hold = await app.store.holds.find(holdId);
  if (hold !== undefined && (await viewerOf(app).knows(hold))) return hold;
  throw noSuchHold(holdId);
}

export function noSuchHold(holdId: string): OperatorError {
  return new OperatorError("no_such_hold", `There is no hold "${holdId}".`);
}
