// The cookies of the console: the secret of a session, and the secret of a sign-in that is in progress at an issuer. No
// script can read them, and no other site can make a browser send the session cookie.

import type { IncomingHttpHeaders } from "node:http";
import { sessionLifetimeMs, type StartedSession } from "../../actions/operator/session.ts";
import type { Origin } from "./origin.ts";

/** Behind TLS a name that no subdomain and no plain connection can set (RFC 6265bis, section 4.1.3.2). */
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

/** Undefined if the cookie is missing or was sent more than once: it is unclear who set which. */
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
  return cookie(origin, "", 0);
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
  return cookie(origin, secret, Math.floor(sessionLifetimeMs / 1_000));
}

function cookie(origin: Origin, value: string, seconds: number): string {
  const secure = origin.isSecure ? "; Secure" : "";
  return `${nameOf(origin)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
