// Operators who sign in with OpenID Connect: found by issuer and subject, with the roles that the issuer states.

import type { Operator, OperatorIdentity, OperatorRole } from "../../../domain/operator.ts";
import type { SignIn } from "../../interface/operators.ts";
import { operatorColumns, toOperator } from "../../row/operator-row.ts";
import { auditAct } from "../trail/audit.ts";
import { findById, removeSessions, setUnconfirmed, unconfirmedIf } from "./operator.ts";
import { insertSession, noteOn } from "./operator-session.ts";
import { find, run, type Statements } from "../statement/statements.ts";

const findOne = `SELECT ${operatorColumns} FROM operator WHERE issuer = $1 AND subject = $2`;

const setRoles = `UPDATE operator SET roles = $2 WHERE operator_id = $1`;

/** Finds disabled operators too. */
export function* findByIdentity({
  issuer,
  subject,
}: OperatorIdentity): Statements<Operator | undefined> {
  return yield* find(toOperator, findOne, issuer, subject);
}

/** Without any role, all sessions of the operator end. False if no session began, as for a disabled operator. */
export function* useIdentity(
  operatorId: string,
  roles: readonly OperatorRole[],
  { session, act }: SignIn,
): Statements<boolean> {
  const operator = yield* find(toOperator, findById, operatorId);
  if (operator === undefined || operator.disabledAt !== undefined) return false;
  const text = JSON.stringify(roles);
  if (text !== JSON.stringify(operator.roles)) {
    yield* run(setRoles, operatorId, text);
    const unconfirms = roles.includes("officer") && !operator.roles.includes("officer");
    if (unconfirms) yield* run(setUnconfirmed, operatorId, act.now, null);
    const detail = { roles, before: operator.roles, ...unconfirmedIf(unconfirms) };
    yield* auditAct(noteOn(operator.name, "roles", detail), act);
  }
  if (roles.length === 0) {
    yield* run(removeSessions, operatorId);
    return false;
  }
  yield* insertSession(session, operator, act);
  return true;
}
