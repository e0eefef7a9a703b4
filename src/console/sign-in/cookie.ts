// The cookies of the console: the secret of a session, the secret of a sign-in that is in progress at an issuer, and
// the organization in which somebody works. No script can read them, and no other site can make a browser send the
// session cookie.

import type { FastifyRequest } from "fastify";
import { sessionLifetimeMs, type StartedSession } from "../../actions/operator/session.ts";
import { dayMs } from "../../basics/duration.ts";
import type { Origin } from "./origin.ts";

type Name = "session" | "openid" | "organization";

/**
 * Under TLS, returns a name that no subdomain and no plain connection can set (RFC 6265bis, section 4.1.3.2). If an
 * attacker could set the cookie of a sign-in, a person could be signed in to the attacker's account without noticing
 * it.
 */
function nameOf(name: Name, { isSecure }: Origin): string {
  return isSecure ? `__Host-sluice_${name}` : `sluice_${name}`;
}

interface Sent {
  readonly request: Pick<FastifyRequest, "headers">;
  readonly origin: Origin;
}

/** The chosen organization, which grants nothing; undefined for all of them. */
export function readOrganization(sent: Sent): string | undefined {
  const id = readCookie("organization", sent);
  return id !== undefined && /^[\w.-]{1,64}$/.test(id) ? id : undefined;
}

/** Undefined if the cookie is missing or was sent more than once, because it is unclear who set which. */
export function readCookie(of: Name, { request, origin }: Sent): string | undefined {
  const name = `${nameOf(of, origin)}=`;
  const { cookie: sent = "" } = request.headers;
  const found = sent
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(name));
  const [only] = found;
  return found.length === 1 && only !== undefined ? only.slice(name.length) : undefined;
}

export function noSessionCookie(origin: Origin): string {
  return cookie(origin, "session", { value: "", ms: 0 });
}

export function startedCookie(
  origin: Origin,
  { secret: value }: Pick<StartedSession, "secret">,
): string {
  return cookie(origin, "session", { value, ms: sessionLifetimeMs });
}

/** The answer of an issuer comes from another site, so this cookie is not strict. The prefix requires its path. */
export function openIdCookie(origin: Origin, value: string, ms: number): string {
  const path = origin.isSecure ? "/" : "/console/openid";
  return cookie(origin, "openid", { value, ms, path, sameSite: "Lax" });
}

const chosenMs = 30 * dayMs;

export function organizationCookie(origin: Origin, value: string | undefined): string {
  const ms = value === undefined ? 0 : chosenMs;
  return cookie(origin, "organization", { value: value ?? "", ms });
}

interface Cookie {
  readonly value: string;
  readonly ms: number;
  readonly path?: string;
  readonly sameSite?: "Lax" | "Strict";
}

function cookie(
  origin: Origin,
  name: Name,
  { value, ms, path = "/", sameSite = "Strict" }: Cookie,
): string {
  const secure = origin.isSecure ? "; Secure" : "";
  const seconds = Math.floor(ms / 1_000);
  return `${nameOf(name, origin)}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}
