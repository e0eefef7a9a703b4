// Operators as the command line names them; the error for an unknown name lists those that exist.

import type { Operator } from "../../domain/operator.ts";
import type * as store from "../../store/operators.ts";
import type { App } from "../app.ts";
import { listNames, OperatorError } from "../operator-error.ts";

/** An operator, with the numbers of passkeys and sessions. */
export type OperatorDetails = store.OperatorDetails;

/** Throws OperatorError no_such_operator. */
export async function findOperator(app: App, name: string): Promise<Operator> {
  const found = await app.store.operators.findByName(name);
  if (found !== undefined) return found;
  const all = await listOperators(app);
  const known =
    all.length === 0
      ? "There is none yet; create one with: sluice operator create NAME --role ROLE"
      : `There are: ${listNames(all.map((operator) => operator.name))}.`;
  throw new OperatorError("no_such_operator", `There is no operator "${name}". ${known}`);
}

/** Throws OperatorError no_such_operator and operator_disabled. */
export async function findActiveOperator(app: App, name: string): Promise<Operator> {
  const operator = await findOperator(app, name);
  if (operator.disabledAt === undefined) return operator;
  throw new OperatorError(
    "operator_disabled",
    `The operator "${name}" was disabled on ${new Date(operator.disabledAt).toISOString()}.`,
  );
}

/** In the order of their names. */
export function listOperators({ store, now }: App): Promise<readonly OperatorDetails[]> {
  return store.operators.list(now());
}
