// The error for a file, or for rows of it, that can't be read.

import { OperatorError } from "../../actions/operator/operator-error.ts";

export function inputError(
  message: string,
  options?: ConstructorParameters<typeof OperatorError>[2],
): OperatorError {
  return new OperatorError("input", message, options);
}
