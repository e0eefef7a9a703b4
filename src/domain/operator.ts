// Operators: the named people who run the service, their roles, and how they sign in. Never contains a secret.

export const operatorRoles = ["viewer", "operator", "officer", "auditor", "administrator"] as const;

export type OperatorRole = (typeof operatorRoles)[number];

/** How an issuer of OpenID Connect identifies a person: the only claims that are unique and never change. */
export interface OperatorIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** Times are Unix milliseconds. */
export interface Operator {
  /** An opaque id, by which a passkey names its owner. */
  readonly operatorId: string;
  /** The unique name, which never changes: the actor in the audit trail. */
  readonly name: string;
  readonly roles: readonly OperatorRole[];
  readonly createdAt: number;
  /** From this time on the person can't act; undefined if the person can. */
  readonly disabledAt: number | undefined;
  /**
   * The time since which the person is an officer whom no other officer has confirmed; undefined for everybody else.
   */
  readonly unconfirmedSince?: number | undefined;
  /** The administrator who created the officer, or a link for the officer; undefined if an issuer states the role. */
  readonly unconfirmedBy?: string | undefined;
  /** Present for a person who signs in with OpenID Connect. */
  readonly identity?: OperatorIdentity | undefined;
}

/**
 * The roles that apply. An administrator creates officers and their links, but must not act as one, so that role
 * applies only when another officer has confirmed the person. An issuer of OpenID Connect is responsible for its
 * people, but without the confirmation they can't be the second person (store/sql/access/operator.ts).
 */
export function effectiveRoles({ roles, unconfirmedBy }: Operator) {
  if (unconfirmedBy === undefined) return roles;
  return roles.filter((role) => role !== "officer");
}

export interface Passkey {
  /** Base64url. */
  readonly credentialId: string;
  readonly operatorId: string;
  /** In the encoding of COSE (RFC 9052). */
  readonly publicKey: Uint8Array;
  /** How often the authenticator has signed, if it counts. */
  readonly signCount: number;
  /** How a browser reaches the authenticator, such as `usb`. */
  readonly transports: readonly string[];
  /** The name that its owner gave it; empty if none. */
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

export type SignInMethod = "link" | "passkey" | "oidc";

export interface OperatorSession {
  readonly sessionId: string;
  readonly operatorId: string;
  readonly method: SignInMethod;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Names of parts of the service in the audit trail. */
const reserved: ReadonlySet<string> = new Set(["worker", "retention"]);

/** True for a name that the trail uses for a key or a part of the service. */
export function isReservedName(name: string): boolean {
  return reserved.has(name) || /^(?:key|idn)_/.test(name);
}

const nameForm = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._@+-]{0,99}$/u;

export const operatorNameRule =
  "a name of 1 to 100 letters, digits, spaces and ._@+- that begins with a letter or a digit";

export function isOperatorName(name: string): boolean {
  return nameForm.test(name) && name.isWellFormed() && !isReservedName(name);
}
