// Passkeys and sessions of operators. A session begins with a link or a passkey, and is found by the hash of its token.

import type { VerbOn } from "../../../domain/trail-action.ts";
import type { Operator, Passkey } from "../../../domain/operator.ts";
import type { Act } from "../../interface/act.ts";
import type { NewSession, SignIn } from "../../interface/operators.ts";
import {
  operatorColumns,
  passkeyColumns,
  sessionColumns,
  toPasskey,
  toPasskeyHolder,
  toSessionHolder,
} from "../../row/operator-row.ts";
import type { AuditNote } from "../../interface/trail.ts";
import { auditAct, auditActs } from "../trail/audit.ts";
import { find, list, run, type Statements, column } from "../statement/statements.ts";
import { insertion } from "../statement/insertion.ts";

const insertOne = insertion<NewSession & { readonly operatorId: string }>(
  "operator_session",
  "session_id token_hash operator_id method created_at expires_at",
);

/** How many sessions a person can have; a further sign-in ends the oldest. */
const sessionsMax = 20;
/** How many sessions one sign-in ends if there are more than allowed. */
const endedAtOnceMax = 1_000;

const removeOldest = `
  DELETE FROM operator_session WHERE session_id IN (
    SELECT session_id FROM operator_session WHERE operator_id = $1 AND session_id <> $2
    ORDER BY created_at DESC, session_id LIMIT ${endedAtOnceMax} OFFSET ${sessionsMax - 1})
  RETURNING session_id`;

const sessions = `
  SELECT ${sessionColumns}, ${operatorColumns}
  FROM operator_session JOIN operator USING (operator_id)`;

const findByToken = `
  ${sessions}
  WHERE token_hash = $1 AND expires_at > $2 AND disabled_at IS NULL`;

const listNewest = `
  ${sessions}
  WHERE expires_at > $1 AND (CAST($2 AS text) IS NULL OR operator_session.operator_id = $2)
  ORDER BY operator_session.created_at DESC, session_id LIMIT 200`;

const findOne = `${sessions} WHERE session_id = $1`;

const removeOne = `DELETE FROM operator_session WHERE session_id = $1`;

const insertPasskey = insertion<Passkey>(
  "operator_passkey",
  "credential_id operator_id public_key sign_count transports name created_at",
  "ON CONFLICT DO NOTHING",
);

const findPasskeyById = `
  SELECT ${passkeyColumns}, ${operatorColumns}
  FROM operator_passkey JOIN operator USING (operator_id)
  WHERE credential_id = $1 AND disabled_at IS NULL`;

const listOldest = `
  SELECT ${passkeyColumns} FROM operator_passkey WHERE operator_id = $1
  ORDER BY created_at, credential_id`;

const removeOnePasskey = `
  DELETE FROM operator_passkey WHERE credential_id = $1 AND operator_id = $2`;

/** An authenticator that counts never repeats a count; others always send 0 (WebAuthn level 3, section 6.1.1). */
const countUse = `
  UPDATE operator_passkey SET sign_count = $2, last_used_at = $3
  WHERE credential_id = $1 AND (sign_count < $2 OR (sign_count = 0 AND $2 = 0))`;

export function* insertSession(
  session: NewSession,
  { operatorId, name }: Operator,
  act: Act,
): Statements<void> {
  const { sessionId, method, expiresAt } = session;
  yield* insertOne({ ...session, operatorId });
  yield* auditAct(noteOn(name, "sign_in", { sessionId, method, expiresAt }), act);
  // After the audit entry, whose lock serializes sign-ins: so each sees the sessions of those before.
  const ended = yield* column<string>(removeOldest, operatorId, sessionId);
  if (ended.length === 0) return;
  const details = ended.map((id) => ({ sessionId: id, tooMany: true }));
  yield* auditActs(details.map((one) => ({ ...act, note: noteOn(name, "session_end", one) })));
}

/** An act of an operator, or on an operator. The subject is the name, which never changes. */
export function noteOn(
  subject: string,
  verb: VerbOn<"operator">,
  detail: AuditNote["detail"],
): AuditNote {
  return { action: `operator.${verb}`, organizationId: undefined, subject, detail };
}

export function* findSession(tokenHash: Uint8Array, now: number) {
  return yield* find(toSessionHolder, findByToken, tokenHash, now);
}

/** Lists the sessions of one operator, or of all; newest first. */
export function* listSessions(operatorId: string | undefined, now: number) {
  return yield* list(toSessionHolder, listNewest, now, operatorId ?? null);
}

/** False if there is no such session, or it is not one of this operator. */
export function* endSession(
  sessionId: string,
  operatorId: string | undefined,
  act: Act,
): Statements<boolean> {
  const holder = yield* find(toSessionHolder, findOne, sessionId);
  const owner = holder?.operator;
  if (owner === undefined || (operatorId ?? owner.operatorId) !== owner.operatorId) return false;
  if ((yield* run(removeOne, sessionId)) === 0) return false;
  yield* auditAct(noteOn(owner.name, "session_end", { sessionId }), act);
  return true;
}

/** Stores a passkey of the actor: people change only their own. False if the credential is known already. */
export function* addPasskey(passkey: Passkey, act: Act): Statements<boolean> {
  const { credentialId } = passkey;
  const added = yield* insertPasskey(passkey);
  if (added === 1) yield* auditAct(noteOn(act.actor, "passkey_add", { credentialId }), act);
  return added === 1;
}

export function* findPasskey(credentialId: string) {
  return yield* find(toPasskeyHolder, findPasskeyById, credentialId);
}

/** Oldest first. */
export function* listPasskeys(operatorId: string) {
  return yield* list(toPasskey, listOldest, operatorId);
}

/** False if the operator has no such passkey. */
export function* removePasskey(
  credentialId: string,
  operatorId: string,
  act: Act,
): Statements<boolean> {
  const removed = yield* run(removeOnePasskey, credentialId, operatorId);
  if (removed === 1) yield* auditAct(noteOn(act.actor, "passkey_remove", { credentialId }), act);
  return removed === 1;
}

/** Begins a session. False if the passkey was removed, or its count is not higher than the stored one. */
export function* usePasskey(
  credentialId: string,
  signCount: number,
  { session, act }: SignIn,
): Statements<boolean> {
  const holder = yield* findPasskey(credentialId);
  if (holder === undefined) return false;
  if ((yield* run(countUse, credentialId, signCount, act.now)) === 0) return false;
  yield* insertSession(session, holder.operator, act);
  return true;
}
