// Operators: finds, creates and disables them. None is ever removed, because the audit trail names them.

import type { OperatorRight } from "../../domain/operator-right.ts";
import {
  isOperatorName,
  type Operator,
  operatorNameRule,
  type OperatorRole,
  type Passkey,
} from "../../domain/operator.ts";
import type * as store from "../../store/interface/operators.ts";
import type { App } from "../app.ts";
import { makeId } from "../credential.ts";
import { actTogether } from "../proposal/second-person.ts";
import { OperatorError, unknownName } from "./operator-error.ts";
import { actAs, requireRight } from "./viewer.ts";

export type OperatorDetails = store.OperatorDetails;

async function findOperator(app: App, name: string): Promise<Operator> {
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
 * For work that does not run as the operator. Undefined: the shell of the host, which may do everything. Throws
 * OperatorError no_such_operator, operator_disabled and not_permitted.
 */
export async function requireRightOf(
  app: App,
  as: string | undefined,
  right: OperatorRight,
): Promise<void> {
  if (as !== undefined) requireRight(actAs(app, await findActiveOperator(app, as)), right);
}

export async function listOperators(app: App): Promise<readonly OperatorDetails[]> {
  requireRight(app, "operator.read");
  return app.store.operators.list(app.now());
}

export interface SeenOperator extends OperatorDetails {
  readonly keys: readonly Passkey[];
  /** The start of a session that still exists, or the last use of a passkey; undefined if neither is known. */
  readonly lastSignIn: number | undefined;
}

export async function listPeople(app: App): Promise<readonly SeenOperator[]> {
  const operators = await listOperators(app);
  const sessions = await app.store.operators.listSessions(undefined, app.now());
  const people: SeenOperator[] = [];
  for (const operator of operators) people.push(await seePerson(app, operator, sessions));
  return people;
}

/** Throws OperatorError not_permitted and no_such_operator. */
export async function readPerson(app: App, name: string): Promise<SeenOperator> {
  requireRight(app, "operator.read");
  const operator = await findOperator(app, name);
  const sessions = await app.store.operators.listSessions(operator.operatorId, app.now());
  return seePerson(app, operator, sessions);
}

async function seePerson(
  { store: { operators } }: App,
  operator: Operator & Partial<OperatorDetails>,
  sessions: readonly store.SessionHolder[],
): Promise<SeenOperator> {
  const { operatorId, passkeys } = operator;
  const keys = passkeys === 0 ? [] : await operators.listPasskeys(operatorId);
  const own = sessions.filter(({ session }) => session.operatorId === operatorId);
  const starts = own.map(({ session }) => session.createdAt);
  const times = [...starts, ...keys.flatMap(({ lastUsedAt = [] }) => lastUsedAt)];
  const lastSignIn = times.length === 0 ? undefined : Math.max(...times);
  return { passkeys: keys.length, sessions: own.length, ...operator, keys, lastSignIn };
}

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
  // The shell of the host needs no confirmation.
  const isBound = app.viewer?.roles !== undefined;
  const operator: Operator = {
    operatorId: makeId("op"),
    name,
    roles: [...new Set(roles)],
    createdAt: app.now(),
    disabledAt: undefined,
    ...(isBound && roles.includes("officer")
      ? { unconfirmedSince: app.now(), unconfirmedBy: app.operator }
      : {}),
  };
  if (await app.store.operators.create(operator, actTogether(app))) return operator;
  throw new OperatorError(
    "operator_exists",
    `The name "${name}" is in use, or was used by an operator who is disabled; choose another one.`,
  );
}

/** Does nothing if the operator is disabled already. Throws OperatorError not_permitted and no_such_operator. */
export async function disableOperator(app: App, name: string): Promise<Operator> {
  requireRight(app, "operator.disable");
  const { operatorId } = await findOperator(app, name);
  return (
    (await app.store.operators.disable(operatorId, actTogether(app))) ?? findOperator(app, name)
  );
}

/**
 * Confirms an officer whom an administrator or an issuer has made; neither the officer nor this administrator may do
 * it. Throws OperatorError not_permitted, also for these two; no_such_operator, operator_disabled and
 * operator_confirmed.
 */
export async function confirmOperator(app: App, name: string): Promise<Operator> {
  requireRight(app, "operator.confirm");
  const { operatorId, unconfirmedSince } = await findActiveOperator(app, name);
  if (unconfirmedSince === undefined) {
    throw new OperatorError("operator_confirmed", `The operator "${name}" needs no confirmation.`);
  }
  const outcome = await app.store.operators.confirm(operatorId, actTogether(app));
  if (typeof outcome !== "string") return outcome;
  throw new OperatorError(
    "not_permitted",
    `${app.operator} can't confirm ${name}: this takes an officer who was confirmed before, and who has created neither ` +
      "this person nor the last sign-in link. Nothing was changed.",
  );
}
