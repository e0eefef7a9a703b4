// Disables an operator for good: sessions end, and passkeys and links stop working.

import type { Operator } from "../../domain/operator.ts";
import { actOf, type App } from "../app.ts";
import { requireRight } from "./viewer.ts";
import { findOperator } from "./find-operator.ts";

/** Does nothing if the operator is disabled already. Throws OperatorError not_permitted and no_such_operator. */
export async function disableOperator(app: App, name: string): Promise<Operator> {
  requireRight(app, "operator.disable");
  const { operatorId } = await findOperator(app, name);
  return (await app.store.operators.disable(operatorId, actOf(app))) ?? findOperator(app, name);
}
