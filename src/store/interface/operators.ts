// Operators, their passkeys and sessions, and the tokens of one use by which they sign in. Secrets are stored as
// hashes.

import type {
  Operator,
  OperatorIdentity,
  OperatorRole,
  OperatorSession,
  Passkey,
} from "../../domain/operator.ts";
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
  readonly purpose: "link" | ChallengePurpose;
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

/** The use of a passkey, or of a link, that begins a session. */
export interface SignIn {
  readonly session: NewSession;
  readonly act: Act;
}

export interface PasskeyHolder {
  readonly passkey: Passkey;
  readonly operator: Operator;
}

/** A disabled operator has no session, no link, and no passkey that can be used. */
export interface OperatorStore {
  /** False if the name is in use, also by an operator who is disabled, or if the identity is. */
  create(operator: Operator, act: Act): Promise<boolean>;
  findByName(name: string): Promise<Operator | undefined>;
  /** Finds disabled operators too. */
  findByIdentity(identity: OperatorIdentity): Promise<Operator | undefined>;
  /** In the order of their names. */
  list(now: number): Promise<readonly OperatorDetails[]>;
  /** Ends the sessions and removes passkeys and links. Undefined if there is no such operator. */
  disable(operatorId: string, act: Act): Promise<Operator | undefined>;

  /** Replaces an unused link of the operator. */
  createLink(link: OneTimeToken, act: Act): Promise<void>;
  /** The operator of an unused link that has not expired. Does not use it. */
  findLink(tokenHash: Uint8Array, now: number): Promise<Operator | undefined>;
  /** Undefined for a link that was used or has expired. In one transaction, the link ends and the session begins. */
  useLink(tokenHash: Uint8Array, signIn: SignIn): Promise<Operator | undefined>;
  /** Remembers that it was used. False if it was before, or the operator has used 1,000 that have not expired. */
  useChallenge(challenge: OneTimeToken, now: number): Promise<boolean>;

  /** False if the credential is known. */
  addPasskey(passkey: Passkey, act: Act): Promise<boolean>;
  findPasskey(credentialId: string): Promise<PasskeyHolder | undefined>;
  /** Oldest first. */
  listPasskeys(operatorId: string): Promise<readonly Passkey[]>;
  /** False if the operator has no such passkey. */
  removePasskey(credentialId: string, operatorId: string, act: Act): Promise<boolean>;
  /** Begins a session. False if the passkey was removed, or its count is not higher than the stored one. */
  usePasskey(credentialId: string, signCount: number, signIn: SignIn): Promise<boolean>;

  /**
   * Gives an operator these roles, and begins a session. Without any role, the sessions end and none begins. False for
   * no session, also for an operator who is disabled.
   */
  useIdentity(operatorId: string, roles: readonly OperatorRole[], signIn: SignIn): Promise<boolean>;

  findSession(tokenHash: Uint8Array, now: number): Promise<SessionHolder | undefined>;
  /** Lists the sessions of one operator, or of all; newest first. */
  listSessions(operatorId: string | undefined, now: number): Promise<readonly SessionHolder[]>;
  /** If an operator is given, ends only a session of this operator. False if there is no such session. */
  endSession(sessionId: string, operatorId: string | undefined, act: Act): Promise<boolean>;
}
