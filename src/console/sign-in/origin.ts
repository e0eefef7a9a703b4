// Determines by which origin browsers reach the console, and whether a request comes from one of its pages.

import type { FastifyRequest } from "fastify";

export interface Origin {
  /** Such as `https://sluice.example.com`. */
  readonly text: string;
  readonly isSecure: boolean;
  /** The name to which passkeys are bound; it has no port. */
  readonly hostname: string;
}

/** `configured`: CONSOLE_URL. Undefined if the request names no valid host. */
export function originOf(
  request: FastifyRequest,
  configured: string | undefined,
): Origin | undefined {
  const url = URL.parse(configured ?? `${request.protocol}://${request.host}`);
  if (url === null) return undefined;
  return { text: url.origin, isSecure: url.protocol === "https:", hostname: url.hostname };
}

/**
 * True for a request that a page of this origin sent. A browser sends Origin with every POST, and other sites can't
 * forge it; so a POST without it is refused too.
 */
export function isFromOwnPage({ headers }: FastifyRequest, origin: Origin): boolean {
  const site = headers["sec-fetch-site"];
  return headers.origin === origin.text && (site === undefined || site === "same-origin");
}

/** True if browsers support passkeys there: over TLS or on localhost, and never for an IP address. */
export function supportsPasskeys({ isSecure, hostname }: Origin): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  return !isAddress && (isSecure || hostname === "localhost" || hostname.endsWith(".localhost"));
}
