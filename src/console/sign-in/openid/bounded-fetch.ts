// Sends requests to the issuer. Replies are bounded, and nothing is sent to another machine without TLS, whatever the
// metadata of the issuer say.

import type { CustomFetchOptions } from "openid-client";
import { isLoopback } from "../../../basics/loopback.ts";

const responseBytesMax = 1_024 * 1_024;

/** Throws TypeError, and what fetch throws. */
export async function boundedFetch(
  url: string,
  { signal, body: sent, ...options }: CustomFetchOptions,
): Promise<Response> {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname))) {
    throw new TypeError("the issuer names an address without TLS");
  }
  const { status, headers, body } = await fetch(url, {
    ...options,
    body: sent ?? null,
    signal: signal ?? null,
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > responseBytesMax) throw new TypeError("the reply of the issuer is too large");
    chunks.push(chunk);
  }
  return new Response(bytes === 0 ? null : Buffer.concat(chunks), { status, headers });
}
