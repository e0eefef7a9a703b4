// Sends requests to an issuer of tokens. Replies are bounded, and nothing is sent to another machine without TLS,
// whatever the metadata of the issuer say.

import { isLoopback } from "./url-hostname.ts";

const responseBytesMax = 1_024 * 1_024;

interface Options extends Omit<RequestInit, "body" | "signal"> {
  readonly body?: RequestInit["body"] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Throws TypeError, and what fetch throws. */
export async function boundedFetch(
  url: string,
  { signal, body: sent, ...options }: Options,
  bytesMax = responseBytesMax,
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
    if (bytes > bytesMax) throw new TypeError("the reply of the issuer is too large");
    chunks.push(chunk);
  }
  return new Response(bytes === 0 ? null : Buffer.concat(chunks), { status, headers });
}
