// Refuses ambiguous requests: proxies and servers can disagree about where such a request ends (request smuggling).
// Checks only the request line and the headers.

import type { IncomingMessage } from "node:http";
import { AppError } from "../../domain/error.ts";

/** A host (RFC 3986, section 3.2.2) and an optional port; empty if the target has no host. */
const host = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** Nearly all requests have the same host, so it is checked only when it changes. */
let lastHost = "";

/** Throws malformed_http. Of a repeated Host or Authorization a proxy may have read the other one. */
export function refuseAmbiguousRequest({
  headers,
  rawHeaders,
  httpVersion,
}: IncomingMessage): void {
  const { host: sent, "transfer-encoding": coding } = headers;
  if (httpVersion !== "1.1") requireOldVersion(httpVersion, coding);
  else if (sent === undefined) throw refused("The header Host is missing.");
  if (sent !== undefined && sent !== lastHost) requireHost(sent);
  if (coding !== undefined) requireChunksAlone(coding);
  let hosts = 0;
  let credentials = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    // Lengths are compared first, for speed: this runs for every request, and hardly any other header has the same
    // length.
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
    if (name.length === 13 && name.toLowerCase() === "authorization") credentials += 1;
  }
  if (hosts > 1) throw refused("The header Host must be sent once.");
  if (credentials > 1) throw refused("The header Authorization must be sent once.");
}

/** Such a body has no meaning (RFC 9110, section 9.3.1); some proxies forward it and others don't. */
export function refuseBodyOfGet({ method, headers }: IncomingMessage): void {
  if (method !== "GET" && method !== "HEAD") return;
  const { "transfer-encoding": coding, "content-length": length = "0" } = headers;
  if (coding === undefined && Number(length) === 0) return;
  throw refused(`A ${method} request must not have a body; send it without one.`);
}

/** HTTP/1.0 has no chunked coding, so the end of such a body is ambiguous (RFC 9112, section 6.1). */
function requireOldVersion(httpVersion: string, coding: string | undefined): void {
  if (httpVersion !== "1.0") throw refused("Send the request as HTTP/1.1.");
  if (coding === undefined) return;
  throw refused("An HTTP/1.0 request must not have a Transfer-Encoding; send it as HTTP/1.1.");
}

function requireHost(sent: string): void {
  if (!host.test(sent)) throw refused("The header Host must be a host, optionally with a port.");
  lastHost = sent;
}

/** Node removes only the chunked coding, so a body that is also compressed would be read as plain text. */
function requireChunksAlone(coding: string): void {
  if (coding === "chunked" || coding.trim().toLowerCase() === "chunked") return;
  throw refused(
    "The Transfer-Encoding must be chunked and nothing else; name a compression in Content-Encoding.",
  );
}

function refused(message: string): AppError {
  return new AppError("malformed_http", { message });
}
