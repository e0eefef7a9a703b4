// Creates an operator. The audit trail keeps the name, so it never changes and never names another person.

import {
  isOperatorName,
  type Operator,
  operatorNameRule,
  type OperatorRole,
} from "../../domain/operator.ts";
import { actOf, type App } from "../app.ts";
import { makeId } from "../credential.ts";
import { OperatorError } from "./operator-error.ts";
import { requireRight } from "./viewer.ts";

/** Throws OperatorError not_permitted, invalid and operator_exists. */
export async function createOperator(
  app: App,
  { name, roles }: { readonly name: string; readonly roles: readonly OperatorRole[] },
): Promise<Operator> {
  requireRight(app, "operator.create");
  if (!isOperatorName(name)) {
    throw new OperatorError(
      "invalid",
      `The name must be ${operatorNameRule}, and not one that the audit trail reserves (worker, retention, key_…).`,
    );
  }
  if (roles.length === 0) throw new OperatorError("invalid", "An operator needs a role.");
  const operator: Operator = {
    operatorId: makeId("op"),
    name,
    roles: [...new Set(roles)],
    createdAt: app.now(),
    disabledAt: undefined,
  };
  if (await app.store.operators.create(operator, actOf(app))) return operator;
  throw new OperatorError(
    "operator_exists",
    `The name "${name}" is in use, or was used by an operator who is disabled; choose another one.`,
  );
}
