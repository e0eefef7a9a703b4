// The errors of the API as operators get them: where a program and an operator do the same, one action does it, and
// throws what the program is told.

import { AppError } from "../../domain/error.ts";
import { OperatorError, type OperatorErrorKind } from "../../actions/operator/operator-error.ts";

/**
 * `kinds`: the errors that operators know under a name of their own, by the name that programs know. Throws
 * OperatorError in place of an AppError that operators know under a name of their own.
 */
export async function asOperator<Result>(
  work: Promise<Result>,
  kinds: Readonly<Record<string, OperatorErrorKind>>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const all = { credential_revoked: "organization_closed", ...kinds } as typeof kinds;
    const kind = error instanceof AppError ? all[error.errorName] : undefined;
    throw kind === undefined ? error : OperatorError.from(kind, error);
  }
}
