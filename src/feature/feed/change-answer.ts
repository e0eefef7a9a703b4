// A page of the feed as a reply. Nothing may store it: what is erased later would remain there.

import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { FeedPage } from "./read-changes.ts";
import { isNamed } from "../../http/reply/representation.ts";
import type { Answer } from "../../http/reply/reply.ts";
import type { Work } from "../../http/load/work-tokens.ts";

/** Headers of every reply of the feed. Pages of other origins can't embed it. */
export const feedHeaders = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
} as const;

export function answerPage(
  { list, offset, upToDate }: Pick<FeedPage, "list" | "offset" | "upToDate">,
  cursor?: number,
): Answer & { readonly body: Buffer } {
  return {
    status: 200,
    body: list,
    headers: {
      ...feedHeaders,
      "stream-next-offset": offset,
      ...(upToDate ? { "stream-up-to-date": "true" } : {}),
      ...(cursor === undefined ? {} : { "stream-cursor": nextCursor(cursor) }),
    },
  };
}

/** The tag covers the events themselves, so it changes when some of them are erased. */
export function tagged(
  { headers: sent }: FastifyRequest,
  { body, headers = {}, ...answer }: ReturnType<typeof answerPage>,
): Answer {
  const hash = createHash("sha256").update(JSON.stringify(headers)).update(body);
  const digest = hash.digest("base64url");
  const all = { ...headers, etag: `"${digest.slice(0, 22)}"` };
  if (isNamed(all.etag, sent["if-none-match"]))
    return { status: 304, body: undefined, headers: all };
  return { ...answer, body, headers: all };
}

/** The processor time is not charged, because it depends on changes that the reader may not know of. */
export function workOf({ count }: Pick<FeedPage, "count">): Work {
  return { items: count, bytes: 0, processorMs: 0 };
}

const cursorEpochMs = Date.UTC(2024, 9, 9);
const cursorMs = 20_000;
const cursorsAheadMax = 180;

/** Keeps caches from answering with an old reply for ever (Durable Streams, section 10.1). `sent`: 0 for none. */
export function nextCursor(sent: number): string {
  const current = Math.floor((Date.now() - cursorEpochMs) / cursorMs);
  if (sent < current) return String(current);
  return String(sent + 1 + Math.floor(Math.random() * cursorsAheadMax));
}
