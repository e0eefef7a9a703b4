// A page of the feed as a reply: a JSON array of events, and the headers of Durable Streams. Nothing may store it: what is
// erased later would remain there.

import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { FeedCipher } from "../../actions/change/offset.ts";
import type { FeedPage } from "../../actions/change/read-changes.ts";
import { isNamed } from "../reply/representation.ts";
import type { Answer } from "../reply/reply.ts";
import { nextCursor } from "./reader-cursor.ts";

export interface PageContext {
  readonly cipher: FeedCipher;
  readonly organizationId: string;
  /** Present for a live request: the cursor that it sent. */
  readonly cursor?: number;
}

export function answerPage(
  { events, next, upToDate }: FeedPage,
  { cipher, organizationId, cursor }: PageContext,
): Answer & { readonly body: string } {
  return {
    status: 200,
    body: `[${events.join(",")}]`,
    headers: {
      "cache-control": "no-store",
      "stream-next-offset": cipher.encode(organizationId, next.position),
      ...(upToDate ? { "stream-up-to-date": "true" } : {}),
      ...(cursor === undefined ? {} : { "stream-cursor": nextCursor(cursor) }),
    },
  };
}

/** The tag covers the events themselves: without those that were erased it is another one. */
export function tagged(
  { headers: sent }: FastifyRequest,
  { body, headers = {}, ...answer }: ReturnType<typeof answerPage>,
): Answer {
  const digest = hash("sha256", `${JSON.stringify(headers)}${body}`, "base64url");
  const all = { ...headers, etag: `"${digest.slice(0, 22)}"` };
  if (isNamed(all.etag, sent["if-none-match"]))
    return { status: 304, body: undefined, headers: all };
  return { ...answer, body, headers: all };
}
