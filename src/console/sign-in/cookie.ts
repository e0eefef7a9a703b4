// The cookies of the console: the secret of a session, the secret of a sign-in that is in progress at an issuer, and
// the organization in which somebody works. No script can read them, and no other site can make a browser send the
// session cookie.

import type { IncomingHttpHeaders } from "node:http";
import { sessionLifetimeMs, type StartedSession } from "../../actions/operator/session.ts";
import type { Origin } from "./origin.ts";

/** The name with TLS, which no subdomain and no plain connection can set (RFC 6265bis, section 4.1.3.2). */
function nameOf({ isSecure }: Origin): string {
  return isSecure ? "__Host-sluice_session" : "sluice_session";
}

/**
 * Has the same protection as the session: if an attacker could set this cookie, a person could be signed in to the
 * attacker's account without noticing it.
 */
function openIdNameOf({ isSecure }: Origin): string {
  return isSecure ? "__Host-sluice_openid" : "sluice_openid";
}

export function readSessionCookie(
  headers: IncomingHttpHeaders,
  origin: Origin,
): string | undefined {
  return read(headers, nameOf(origin));
}

export function readOpenIdCookie(headers: IncomingHttpHeaders, origin: Origin): string | undefined {
  return read(headers, openIdNameOf(origin));
}

/** Undefined if the cookie is missing or was sent more than once, because it is unclear who set which. */
function read({ cookie: sent = "" }: IncomingHttpHeaders, of: string): string | undefined {
  const name = `${of}=`;
  const found = sent
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(name));
  const [only] = found;
  return found.length === 1 && only !== undefined ? only.slice(name.length) : undefined;
}

export function noSessionCookie(origin: Origin): string {
  return cookie(origin, { name: nameOf(origin), value: "", seconds: 0 });
}

/** The answer of an issuer comes from another site, so this cookie is not strict. */
export function openIdCookie(origin: Origin, secret: string, lifetimeMs: number): string {
  const seconds = Math.floor(lifetimeMs / 1_000);
  // The prefix requires the path.
  const path = origin.isSecure ? "/" : "/console/openid";
  const secure = origin.isSecure ? "; Secure" : "";
  return `${openIdNameOf(origin)}=${secret}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** The session cookie of a person who has just signed in. */
export function startedCookie(origin: Origin, { secret }: Pick<StartedSession, "secret">): string {
  const seconds = Math.floor(sessionLifetimeMs / 1_000);
  return cookie(origin, { name: nameOf(origin), value: secret, seconds });
}

function organizationNameOf({ isSecure }: Origin): string {
  return isSecure ? "__Host-sluice_organization" : "sluice_organization";
}

/** The chosen organization, which grants nothing; undefined for all of them. */
export function readOrganizationCookie(
  headers: IncomingHttpHeaders,
  origin: Origin,
): string | undefined {
  const id = read(headers, organizationNameOf(origin));
  return id !== undefined && /^[\w.-]{1,64}$/.test(id) ? id : undefined;
}

const chosenSeconds = 30 * 86_400;

/** Undefined chooses all organizations. */
export function organizationCookie(origin: Origin, organizationId: string | undefined): string {
  const seconds = organizationId === undefined ? 0 : chosenSeconds;
  return cookie(origin, {
    name: organizationNameOf(origin),
    value: organizationId ?? "",
    seconds,
  });
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly seconds: number;
}

function cookie(origin: Origin, { name, value, seconds }: Cookie): string {
  const secure = origin.isSecure ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
