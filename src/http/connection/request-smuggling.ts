// Rejects ambiguous requests: proxies and servers can disagree about where such a request ends (request smuggling).
// Checks only the request line and the headers.

import type { IncomingMessage } from "node:http";
import { AppError } from "../../domain/error.ts";

/** A host of RFC 3986, section 3.2.2, and a port; empty where a target has none. */
const host = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** As nearly all requests name the same, it is looked at once. */
let lastHost = "";

/**
 * Throws malformed_http for another version than 1.0 and 1.1, for a missing, second or impossible Host (RFC 9112, section
 * 3.2), for two credentials, as what stands in front may have looked at the other, and for a body that is coded beyond its
 * chunks.
 */
export function rejectAmbiguousRequest({
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
    // By length first: this is done for every request, and nearly no other header is as long.
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
    if (name.length === 13 && name.toLowerCase() === "authorization") credentials += 1;
  }
  if (hosts > 1) throw refused("The header Host must be sent once.");
  if (credentials > 1) throw refused("The header Authorization must be sent once.");
}

/** Before HTTP/1.1 there were no chunks: where such a body ends is anybody's guess (RFC 9112, section 6.1). */
function requireOldVersion(httpVersion: string, coding: string | undefined): void {
  if (httpVersion !== "1.0") throw refused("Send the request as HTTP/1.1.");
  if (coding === undefined) return;
  throw refused("A request of HTTP/1.0 has no Transfer-Encoding; send it as HTTP/1.1.");
}

function requireHost(sent: string): void {
  if (!host.test(sent)) throw refused("The header Host is not a host with or without a port.");
  lastHost = sent;
}

/** Node takes the chunks off and would leave the rest as it is, so that a compressed body would be read as plain text. */
function requireChunksAlone(coding: string): void {
  if (coding === "chunked" || coding.trim().toLowerCase() === "chunked") return;
  throw refused(
    "The Transfer-Encoding must be chunked alone; say with Content-Encoding how the body is compressed.",
  );
}

function refused(message: string): AppError {
  return new AppError("malformed_http", { message });
}
