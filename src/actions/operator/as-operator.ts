// The errors of the API as operators get them: where a program and an operator do the same, one action does it, and
// throws what the program is told.

import { OperatorError, type OperatorErrorKind } from "./operator-error.ts";
import { AppError } from "../../domain/error.ts";
import { operatorErrors } from "../../feature/subscription/rows.ts";
import { errors } from "../../feature/subscription/store/rows.ts";

const kinds: ReadonlyMap<string, OperatorErrorKind> = new Map<string, OperatorErrorKind>([
  [errors.recipient_exists.name, operatorErrors.recipient_exists],
  [errors.too_many_recipients.name, operatorErrors.too_many_recipients],
  [errors.too_many_webhook_endpoints.name, operatorErrors.too_many_endpoints],
  ["credential_revoked", "organization_closed"],
]);

/** Throws OperatorError in place of an AppError that operators know under a name of their own. */
export async function asOperator<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const kind = error instanceof AppError ? kinds.get(error.errorName) : undefined;
    throw kind === undefined ? error : OperatorError.from(kind, error);
  }
}
