// Operators, passkeys and sessions as they are read, separately and joined.

import type { Operator, OperatorSession, Passkey } from "../../domain/operator.ts";
import type { OperatorDetails, PasskeyHolder, SessionHolder } from "../interface/operators.ts";
import { prefixed, reader, type Row } from "./reader.ts";

export const operatorColumns = prefixed(
  "",
  "operator",
  "operator_id name roles created_at disabled_at unconfirmed_since unconfirmed_by issuer subject",
);

export const passkeyColumns = prefixed(
  "passkey.",
  "operator_passkey",
  "credential_id operator_id public_key sign_count transports name created_at last_used_at",
);

export const sessionColumns = prefixed(
  "session.",
  "operator_session",
  "session_id operator_id method created_at expires_at",
);

interface StoredOperator extends Omit<OperatorDetails, "identity"> {
  readonly issuer: string | undefined;
  readonly subject: string | undefined;
}

const readOperator = reader<StoredOperator>({
  roles: "json",
  unconfirmedSince: "optional",
  unconfirmedBy: "optional",
});

/** The counts are present if the statement selects them. */
export function toDetails(row: Row): OperatorDetails {
  const { issuer, subject, ...operator } = readOperator(row);
  if (issuer === undefined || subject === undefined) return operator;
  return { ...operator, identity: { issuer, subject } };
}

export const toOperator: (row: Row) => Operator = toDetails;

export const toPasskey = reader<Passkey>({ transports: "json" }, { prefix: "passkey." });

const toSession = reader<OperatorSession>({}, { prefix: "session." });

export function toSessionHolder(row: Row): SessionHolder {
  return { session: toSession(row), operator: toOperator(row) };
}

export function toPasskeyHolder(row: Row): PasskeyHolder {
  return { passkey: toPasskey(row), operator: toOperator(row) };
}
