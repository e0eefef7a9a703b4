// Operators, their passkeys and sessions, and the tokens of one use by which they sign in. Secrets are stored as
// hashes.

import type { Operator, OperatorSession, Passkey } from "../../domain/operator.ts";
import type { Act } from "./act.ts";

export interface OperatorDetails extends Operator {
  readonly passkeys: number;
  /** Sessions that have not expired. */
  readonly sessions: number;
}

/**
 * What a challenge is for: a signature with a passkey, reading the content of a record, or a sign-in with OpenID
 * Connect.
 */
export type ChallengePurpose = "passkey_new" | "passkey_use" | "record_reading" | "oidc";

/** A sign-in link that has not been used, or a challenge that has. */
export interface OneTimeToken {
  readonly tokenHash: Uint8Array;
  /** `identity`: a token of a platform that can be used once only. */
  readonly purpose: "link" | "identity" | ChallengePurpose;
  readonly operatorId: string;
  readonly expiresAt: number;
}

export interface NewSession extends Omit<OperatorSession, "operatorId"> {
  readonly tokenHash: Uint8Array;
}

export interface SessionHolder {
  readonly session: OperatorSession;
  readonly operator: Operator;
}

/** The sign-in by a passkey or a link that begins a session. */
export interface SignIn {
  readonly session: NewSession;
  readonly act: Act;
}

export interface PasskeyHolder {
  readonly passkey: Passkey;
  readonly operator: Operator;
}
