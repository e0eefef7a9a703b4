// Destructive acts are confirmed by typing the id of what they concern.

import { OperatorError } from "../actions/operator-error.ts";

/** Throws OperatorError not_confirmed unless the field `confirm` is this id. `what`: such as "the deletion". */
export function requireTyped(form: URLSearchParams, id: string, what: string): void {
  if (form.get("confirm")?.trim() === id.trim()) return;
  throw new OperatorError(
    "not_confirmed",
    `The id that was typed is not that of ${what}. Nothing was changed.`,
  );
}
