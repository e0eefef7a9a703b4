// Operators: created, disabled and read, also by the issuer and subject of OpenID Connect; and their one-time tokens.
// Stores only hashes of secrets.

import type { Operator, OperatorIdentity, OperatorRole } from "../../../domain/operator.ts";
import type { Act } from "../../interface/act.ts";
import type { OneTimeToken, SignIn } from "../../interface/operators.ts";
import { operatorColumns, toDetails, toOperator } from "../../row/operator-row.ts";
import { auditAct } from "../trail/audit.ts";
import { insertSession, noteOn } from "./operator-session.ts";
import {
  find,
  get,
  list,
  run,
  runTogether,
  type Statements,
  scalar,
} from "../statement/statements.ts";
import { insertion } from "../statement/insertion.ts";

const insertOperator = insertion<Operator & Partial<OperatorIdentity>>(
  "operator",
  "operator_id name roles created_at issuer subject unconfirmed_since unconfirmed_by",
  "ON CONFLICT DO NOTHING",
);

const findById = `SELECT ${operatorColumns} FROM operator WHERE operator_id = $1`;

const findIdentity = `SELECT ${operatorColumns} FROM operator WHERE issuer = $1 AND subject = $2`;

const findAll = `
  SELECT ${operatorColumns},
    (SELECT count(*) FROM operator_passkey
      WHERE operator_passkey.operator_id = operator.operator_id) AS passkeys,
    (SELECT count(*) FROM operator_session
      WHERE operator_session.operator_id = operator.operator_id AND expires_at > $1) AS sessions
  FROM operator ORDER BY name`;

const setDisabled = `
  UPDATE operator SET disabled_at = $1 WHERE operator_id = $2 AND disabled_at IS NULL`;

/** The last act of an administrator counts. */
const setUnconfirmed = `
  UPDATE operator SET unconfirmed_since = $2, unconfirmed_by = $3 WHERE operator_id = $1`;

const setRoles = `UPDATE operator SET roles = $2 WHERE operator_id = $1`;

const setConfirmed = `
  UPDATE operator SET unconfirmed_since = NULL, unconfirmed_by = NULL
  WHERE operator_id = $1 AND unconfirmed_since IS NOT NULL AND disabled_at IS NULL
    AND name <> $2 AND coalesce(unconfirmed_by, '') <> $2`;

const removeSessions = `DELETE FROM operator_session WHERE operator_id = $1`;

const removePasskeys = `DELETE FROM operator_passkey WHERE operator_id = $1`;

const removeTokens = `DELETE FROM one_time_token WHERE operator_id = $1`;

const removeLinks = `DELETE FROM one_time_token WHERE operator_id = $1 AND purpose = 'link'`;

const removeExpired = `DELETE FROM one_time_token WHERE expires_at <= $1`;

const countUsed = `
  SELECT count(*) AS used FROM one_time_token WHERE operator_id = $1 AND purpose <> 'link'`;

/** Returns 0 if it exists already. */
export const insertOneTimeToken = insertion<
  Omit<OneTimeToken, "operatorId"> & { readonly operatorId: string | null }
>("one_time_token", "token_hash purpose operator_id expires_at", "ON CONFLICT DO NOTHING");

const findLinkHolder = `
  SELECT ${operatorColumns} FROM one_time_token JOIN operator USING (operator_id)
  WHERE token_hash = $1 AND purpose = 'link' AND expires_at > $2 AND disabled_at IS NULL`;

const removeLink = `DELETE FROM one_time_token WHERE token_hash = $1`;

/** Challenges that one person has used and that have not expired; each lasts for minutes. */
const usedChallengesMax = 1_000;

/** What the audit trail adds to acts of the shell of the host, which needs no right. */
function byShell({ shell }: Act): { readonly by?: "shell" } {
  return shell === true ? { by: "shell" } : {};
}

/** What the audit trail adds if an officer has no confirmation from now on. */
function unconfirmedIf(is: boolean): { readonly unconfirmed?: true } {
  return is ? { unconfirmed: true } : {};
}

/** False if an operator, even a disabled one, has the name or the identity. */
export function* createOperator(operator: Operator, act: Act): Statements<boolean> {
  const { roles, identity, unconfirmedSince } = operator;
  if ((yield* insertOperator({ ...operator, ...identity })) === 0) return false;
  yield* auditAct(
    noteOn(operator.name, "create", {
      roles,
      ...identity,
      ...unconfirmedIf(unconfirmedSince !== undefined),
      ...byShell(act),
    }),
    act,
  );
  return true;
}

export function* findOperator(name: string) {
  return yield* find(toOperator, `SELECT ${operatorColumns} FROM operator WHERE name = $1`, name);
}

/** In the order of their names. */
export function* listOperators(now: number) {
  return yield* list(toDetails, findAll, now);
}

/** Ends everything with which the operator can sign in. Undefined if there is no such operator. */
export function* disableOperator(operatorId: string, act: Act): Statements<Operator | undefined> {
  const disabled = yield* run(setDisabled, act.now, operatorId);
  const operator = yield* find(toOperator, findById, operatorId);
  if (operator !== undefined && disabled === 1) {
    yield* runTogether([
      [removeSessions, operatorId],
      [removePasskeys, operatorId],
      [removeTokens, operatorId],
    ]);
    yield* auditAct(noteOn(operator.name, "disable", byShell(act)), act);
  }
  return operator;
}

/** Only the last link is valid. A link that an administrator creates ends the confirmation of an officer. */
export function* createLink(link: OneTimeToken, act: Act): Statements<void> {
  const operator = yield* find(toOperator, findById, link.operatorId);
  if (operator === undefined) throw new TypeError("a link needs an operator");
  yield* run(removeLinks, link.operatorId);
  yield* insertOneTimeToken(link);
  const unconfirms = act.proposalId !== undefined && operator.roles.includes("officer");
  if (unconfirms) yield* run(setUnconfirmed, link.operatorId, act.now, act.actor);
  const detail = { expiresAt: link.expiresAt, ...unconfirmedIf(unconfirms), ...byShell(act) };
  yield* auditAct(noteOn(operator.name, "link", detail), act);
}

/** The actor is the shell of the host, or another confirmed officer who created neither this one nor the last link. */
export function* confirmOperator(
  operatorId: string,
  act: Act,
): Statements<Operator | "no_such_person" | "not_by_this_person"> {
  const isShell = act.shell === true;
  if (!isShell && !(yield* lockApprover(act.actor))) return "no_such_person";
  const confirmed = yield* run(setConfirmed, operatorId, isShell ? "" : act.actor);
  const operator = yield* find(toOperator, findById, operatorId);
  if (operator === undefined || confirmed === 0) return "not_by_this_person";
  yield* run(removeLinks, operatorId);
  yield* auditAct(noteOn(operator.name, "confirm", byShell(act)), act);
  return operator;
}

/** Finds the operator of an unused link that has not expired. Does not use the link. */
export function* findLink(tokenHash: Uint8Array, now: number) {
  return yield* find(toOperator, findLinkHolder, tokenHash, now);
}

/** Undefined for a link that has expired or was used: of two processes that use it at once, one removes it. */
export function* useLink(
  tokenHash: Uint8Array,
  { session, act }: SignIn,
): Statements<Operator | undefined> {
  const operator = yield* findLink(tokenHash, act.now);
  if (operator === undefined || (yield* run(removeLink, tokenHash)) === 0) return undefined;
  yield* insertSession(session, operator, act);
  return operator;
}

/** False if it was used before, or if the operator has used too many: of two processes, one inserts it. */
export function* useChallenge(challenge: OneTimeToken, now: number): Statements<boolean> {
  yield* run(removeExpired, now);
  const used = (yield* scalar<number>(countUsed, challenge.operatorId)) ?? 0;
  if (used >= usedChallengesMax) return false;
  return (yield* insertOneTimeToken(challenge)) === 1;
}

/** The lock prevents others from disabling this person before the end of the transaction. */
const lock = `
  SELECT 1 FROM operator WHERE name = $1 AND disabled_at IS NULL AND unconfirmed_since IS NULL
  --postgres FOR SHARE
  `;

export function* lockApprover(name: string): Statements<boolean> {
  return (yield* get(lock, name)) !== undefined;
}

/** Finds disabled operators too. */
export function* findByIdentity({
  issuer,
  subject,
}: OperatorIdentity): Statements<Operator | undefined> {
  return yield* find(toOperator, findIdentity, issuer, subject);
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
