// Operators as the command line names them; the error for an unknown name lists those that exist.

import type { OperatorRight } from "../../domain/operator-right.ts";
import type { Operator } from "../../domain/operator.ts";
import type * as store from "../../store/interface/operators.ts";
import type { App } from "../app.ts";
import { OperatorError, unknownName } from "./operator-error.ts";
import { actAs, requireRight } from "./viewer.ts";

/** An operator, with the numbers of passkeys and sessions. */
export type OperatorDetails = store.OperatorDetails;

/** Throws OperatorError no_such_operator. */
export async function findOperator(app: App, name: string): Promise<Operator> {
  const found = await app.store.operators.findByName(name);
  if (found !== undefined) return found;
  const all = await app.store.operators.list(app.now());
  const names = all.map((operator) => operator.name);
  throw unknownName("no_such_operator", `There is no operator "${name}".`, names);
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

/**
 * Requires a right of this operator, for work that does not run as the operator. Undefined stands for the shell of the
 * host, which may do everything. Throws OperatorError no_such_operator, operator_disabled and not_permitted.
 */
export async function requireRightOf(
  app: App,
  as: string | undefined,
  right: OperatorRight,
): Promise<void> {
  if (as !== undefined) requireRight(actAs(app, await findActiveOperator(app, as)), right);
}

/** In the order of their names. Throws OperatorError not_permitted. */
export async function listOperators(app: App): Promise<readonly OperatorDetails[]> {
  requireRight(app, "operator.read");
  return app.store.operators.list(app.now());
}
