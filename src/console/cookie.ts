// The one cookie of the console: the secret of a session. No script can read it, and no other site can have it sent.

import type { IncomingHttpHeaders } from "node:http";
import type { Origin } from "./origin.ts";

/** Behind TLS a name that no subdomain and no plain connection can set (RFC 6265bis, section 4.1.3.2). */
function nameOf({ isSecure }: Origin): string {
  return isSecure ? "__Host-sluice_session" : "sluice_session";
}

/** Undefined also where it was sent more than once: it is unclear who set which. */
export function readSessionCookie(
  { cookie: sent = "" }: IncomingHttpHeaders,
  origin: Origin,
): string | undefined {
  const name = `${nameOf(origin)}=`;
  const found = sent
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(name));
  const [only] = found;
  return found.length === 1 && only !== undefined ? only.slice(name.length) : undefined;
}

export function sessionCookie(origin: Origin, secret: string, lifetimeMs: number): string {
  return cookie(origin, secret, Math.floor(lifetimeMs / 1_000));
}

export function noSessionCookie(origin: Origin): string {
  return cookie(origin, "", 0);
}

function cookie(origin: Origin, value: string, seconds: number): string {
  const secure = origin.isSecure ? "; Secure" : "";
  return `${nameOf(origin)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
