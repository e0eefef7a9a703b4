// The errors of the API as operators get them: where a program and an operator do the same, one action does it, and
// throws what the program is told.

import { AppError, type ErrorName } from "../../domain/error.ts";
import { OperatorError, type OperatorErrorName } from "../../actions/operator/operator-error.ts";

const names: Readonly<Partial<Record<ErrorName, OperatorErrorName>>> = {
  recipient_exists: "recipient_exists",
  too_many_recipients: "too_many_recipients",
  too_many_webhook_endpoints: "too_many_endpoints",
  credential_revoked: "organization_closed",
};

/** Throws OperatorError in place of an AppError that operators know under a name of their own. */
export async function asOperator<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const name = error instanceof AppError ? names[error.errorName] : undefined;
    throw name === undefined ? error : OperatorError.from(name, error);
  }
}
