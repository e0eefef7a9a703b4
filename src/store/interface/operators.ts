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

/** The sign-in by a passkey or a link that begins a session. */
export interface SignIn {
  readonly session: NewSession;
  readonly act: Act;
}

export interface PasskeyHolder {
  readonly passkey: Passkey;
  readonly operator: Operator;
}

/** Passkeys, links and sessions of a disabled operator can't be used. */
export interface OperatorStore {
  /** Creates an operator. False if anybody, even a disabled operator, has the name or the identity. */
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
  /** Finds the operator of an unused link that has not expired. Does not use the link. */
  findLink(tokenHash: Uint8Array, now: number): Promise<Operator | undefined>;
  /** Uses a link and begins a session in one transaction. Undefined for a link that was used or has expired. */
  useLink(tokenHash: Uint8Array, signIn: SignIn): Promise<Operator | undefined>;
  /**
   * Remembers that the challenge was used. False if it was used before, or if the operator has used 1,000 challenges
   * that have not expired.
   */
  useChallenge(challenge: OneTimeToken, now: number): Promise<boolean>;

  /** Stores a passkey. False if the credential is known already. */
  addPasskey(passkey: Passkey, act: Act): Promise<boolean>;
  findPasskey(credentialId: string): Promise<PasskeyHolder | undefined>;
  /** Oldest first. */
  listPasskeys(operatorId: string): Promise<readonly Passkey[]>;
  /** False if the operator has no such passkey. */
  removePasskey(credentialId: string, operatorId: string, act: Act): Promise<boolean>;
  /** Begins a session. False if the passkey was removed, or its count is not higher than the stored one. */
  usePasskey(credentialId: string, signCount: number, signIn: SignIn): Promise<boolean>;

  /**
   * Gives an operator these roles, and begins a session. Without any role, all sessions of the operator end and none
   * begins. False if no session began, as for a disabled operator.
   */
  useIdentity(operatorId: string, roles: readonly OperatorRole[], signIn: SignIn): Promise<boolean>;

  findSession(tokenHash: Uint8Array, now: number): Promise<SessionHolder | undefined>;
  /** Lists the sessions of one operator, or of all; newest first. */
  listSessions(operatorId: string | undefined, now: number): Promise<readonly SessionHolder[]>;
  /** If an operator is given, ends only a session of this operator. False if there is no such session. */
  endSession(sessionId: string, operatorId: string | undefined, act: Act): Promise<boolean>;
}
