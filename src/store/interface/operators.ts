// Operators, their passkeys and sessions, and the one-time tokens for sign-in. Secrets are stored as hashes.

import type { Operator, OperatorSession, Passkey } from "../../domain/operator.ts";
import type { Act } from "./act.ts";

export interface OperatorDetails extends Operator {
  readonly passkeys: number;
  /** Sessions that have not expired. */
  readonly sessions: number;
}

/** A signature with a passkey, reading the content of a record, or a sign-in with OpenID Connect. */
export type ChallengePurpose = "passkey_new" | "passkey_use" | "record_reading" | "oidc";

/** A sign-in link that has not been used, or what has been used: a challenge, or what was exchanged for a token. */
export interface OneTimeToken {
  readonly tokenHash: Uint8Array;
  readonly purpose: "link" | "exchange" | ChallengePurpose;
  readonly operatorId: string;
  readonly expiresAt: number;
}

/** What can be exchanged for an access token only once, and until when that has to be remembered. */
export type UsedOnce = Pick<OneTimeToken, "tokenHash" | "expiresAt">;

export interface NewSession extends Omit<OperatorSession, "operatorId"> {
  readonly tokenHash: Uint8Array;
}

export interface SessionHolder {
  readonly session: OperatorSession;
  readonly operator: Operator;
}

/** How a session began: with a passkey or a link. */
export interface SignIn {
  readonly session: NewSession;
  readonly act: Act;
}

export interface PasskeyHolder {
  readonly passkey: Passkey;
  readonly operator: Operator;
}
