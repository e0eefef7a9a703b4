// Rows of operators, passkeys and sessions, the aliases under which they are read together, and their conversion. The same
// on every engine.

import type {
  Operator,
  OperatorRole,
  OperatorSession,
  Passkey,
  SignInMethod,
} from "../../domain/operator.ts";
import type { OperatorDetails, SessionHolder } from "../interface/operators.ts";

export interface OperatorRow {
  readonly operator_id: string;
  readonly operator_name: string;
  readonly roles: string;
  readonly operator_created_at: number;
  readonly disabled_at: number | null;
  readonly issuer: string | null;
  readonly subject: string | null;
}

export interface PasskeyRow {
  readonly credential_id: string;
  readonly operator_id: string;
  readonly public_key: Uint8Array;
  readonly sign_count: number;
  readonly transports: string;
  readonly passkey_created_at: number;
  readonly last_used_at: number | null;
}

export interface SessionRow {
  readonly session_id: string;
  readonly operator_id: string;
  readonly method: SignInMethod;
  readonly session_created_at: number;
  readonly session_expires_at: number;
}

export const operatorColumns = `
  operator.operator_id, operator.name AS operator_name, operator.roles,
  operator.created_at AS operator_created_at, operator.disabled_at, operator.issuer, operator.subject`;

export const passkeyColumns = `
  operator_passkey.credential_id, operator_passkey.operator_id, operator_passkey.public_key,
  operator_passkey.sign_count, operator_passkey.transports,
  operator_passkey.created_at AS passkey_created_at, operator_passkey.last_used_at`;

export const sessionColumns = `
  operator_session.session_id, operator_session.operator_id, operator_session.method,
  operator_session.created_at AS session_created_at,
  operator_session.expires_at AS session_expires_at`;

export function toOperator(row: OperatorRow): Operator {
  const { issuer, subject } = row;
  return {
    operatorId: row.operator_id,
    name: row.operator_name,
    roles: JSON.parse(row.roles) as readonly OperatorRole[],
    createdAt: row.operator_created_at,
    disabledAt: row.disabled_at ?? undefined,
    ...(issuer === null || subject === null ? {} : { identity: { issuer, subject } }),
  };
}

export function toDetails(
  row: OperatorRow & { readonly passkeys: number; readonly sessions: number },
): OperatorDetails {
  return { ...toOperator(row), passkeys: row.passkeys, sessions: row.sessions };
}

export function toPasskey(row: PasskeyRow): Passkey {
  return {
    credentialId: row.credential_id,
    operatorId: row.operator_id,
    publicKey: row.public_key,
    signCount: row.sign_count,
    transports: JSON.parse(row.transports) as readonly string[],
    createdAt: row.passkey_created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

export function toSession(row: SessionRow): OperatorSession {
  return {
    sessionId: row.session_id,
    operatorId: row.operator_id,
    method: row.method,
    createdAt: row.session_created_at,
    expiresAt: row.session_expires_at,
  };
}

export function toHolder(row: SessionRow & OperatorRow): SessionHolder {
  return { session: toSession(row), operator: toOperator(row) };
}
