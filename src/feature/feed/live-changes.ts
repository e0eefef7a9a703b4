// Live requests for changes: a long poll waits for events; a stream (server-sent events) continues with later ones.
// Neither counts as a request in progress; for a slow reader one part at most is in memory. When a process has all that
// it can have, an organization with few of them takes the place of one of the organization with the most.

import type { ServerResponse } from "node:http";
import type { Identity } from "../../actions/access/caller-cache.ts";
import { identifyCaller } from "../../actions/access/identify-caller.ts";
import { AppError, unavailable } from "../../domain/error.ts";
import { connectionOf } from "../../http/connection/connection.ts";
import type { HttpContext } from "../../http/http-context.ts";
import { tokensOf } from "../../http/load/work-tokens.ts";
import type { HandlerInput } from "../../http/operation.ts";
import { charge } from "../../http/rate-limit/enforce-limit.ts";
import { observeReply, sendAnswer, sendHead } from "../../http/reply/reply.ts";
import { sendError } from "../../http/reply/send-error.ts";
import { waitForRoom } from "../../http/reply/wait-for-room.ts";
import { answerPage, feedHeaders, nextCursor, workOf } from "./change-answer.ts";
import { type Beginning, type ChangeFeed, isOver, type LongPoll } from "./change-feed.ts";
import { requireView } from "./change-query.ts";
import type { FeedPage, FeedView, Reading } from "./read-changes.ts";
import { feedLimits } from "./rows.ts";
import { checkMs } from "./store-poll.ts";

interface Live {
  readonly feed: ChangeFeed;
  readonly cursor: number;
  readonly ended: AbortSignal;
}

/** Answers with the next events. Never rejects. */
export async function answerLater(
  context: HttpContext,
  input: HandlerInput,
  reading: Reading & Live,
): Promise<void> {
  const { request, reply, requestContext } = input;
  try {
    const waiting = waitingOf(context, input, { ...reading, ms: feedLimits.longPollMs });
    const page = await reading.feed.poll(reading, waiting);
    if (reply.raw.destroyed) return;
    requestContext.startedAt = performance.now();
    charge(context, input, workOf(page));
    const answer = answerPage(page, reading.cursor);
    const none = { status: 204, body: undefined };
    sendAnswer(context, input, page.count > 0 ? answer : { ...answer, ...none });
  } catch (error) {
    sendError(context, request, { reply, error });
  }
}

/** The first page is read before the head is sent, so that an error can be answered. Rejects only before that. */
export async function beginStream(
  context: HttpContext,
  input: HandlerInput,
  reading: Beginning & Live,
): Promise<() => Promise<void>> {
  const { raw } = input.reply;
  const waiting = waitingOf(context, input, { ...reading, ms: feedLimits.streamMs });
  const pages = reading.feed.follow(reading, waiting);
  const first = await pages.next();
  sendHead(input, 200, {
    "content-type": "text/event-stream",
    ...feedHeaders,
    "cache-control": "no-store, no-cache",
    "x-accel-buffering": "no",
  });
  observeReply(context, input.requestContext, 200);
  const giveUp = (): boolean => isOver(waiting, context.app.now());
  return async () => {
    // A comment, which readers ignore, so that a proxy does not take the stream for a connection that has died.
    const heartbeat = setInterval(() => {
      if (!raw.writableNeedDrain) raw.write(":\n\n");
    }, feedLimits.heartbeatMs);
    try {
      for (let page = first; page.done !== true; page = await pages.next()) {
        context.rates.work(input.caller, tokensOf(workOf(page.value)));
        const hasRoom = writePart(raw, page.value, nextCursor(reading.cursor));
        if (!hasRoom) await waitForRoom(raw, { everyMs: checkMs, giveUp });
      }
    } catch {
      // The reader connects again, and then gets the error as a reply.
    }
    clearInterval(heartbeat);
    // A reader that has not read a part when its stream ends is disconnected, even if it is still reading.
    if (raw.writableNeedDrain) raw.destroy();
    else raw.end();
  };
}

/** True if there is room for more. */
function writePart(
  raw: ServerResponse,
  { count, event, offset, upToDate }: FeedPage,
  cursor: string,
): boolean {
  const control = {
    streamNextOffset: offset,
    streamCursor: cursor,
    ...(upToDate ? { upToDate } : {}),
  };
  if (count > 0) raw.write(event);
  return raw.write(`event: control\ndata:${JSON.stringify(control)}\n\n`);
}

/** A live request lasts for this time at most, and ends with its token or with a scope that it needs. */
function waitingOf(
  { app }: HttpContext,
  { request, reply, caller }: HandlerInput,
  { view, ended, ms }: Pick<Live, "ended"> & { readonly view: FeedView; readonly ms: number },
): LongPoll {
  return {
    until: Math.min(app.now() + ms, caller.expiresAt),
    signal: AbortSignal.any([readerGone(reply.raw), ended]),
    since: performance.now(),
    check: async () => requireView(view, await identifyCaller(app, request.headers.authorization)),
  };
}

/**
 * A client that closes its side of the connection reads no more of the reply, or waits for its end. If it has sent its
 * next request, it waits for the reply to that instead of this live one (`behind`); meanwhile the connection is not
 * read, so its end would not be noticed.
 */
export function readerGone(
  response: ServerResponse,
  leaving: readonly ("halfClose" | "behind")[] = ["halfClose", "behind"],
): AbortSignal {
  const gone = new AbortController();
  const connection = connectionOf(response);
  const leave = (): void => gone.abort();
  // The client may have disconnected while the first page was read.
  if (response.destroyed || connection?.hasEnded === true) leave();
  if (leaving.includes("behind") && connection?.isBehind === true) leave();
  for (const event of leaving) connection?.once(event, leave);
  response.once("close", () => {
    for (const event of leaving) connection?.off(event, leave);
    leave();
  });
  return gone.signal;
}

type Caller = Pick<Identity, "organizationId" | "keyId">;

interface Reader extends Caller {
  readonly place: AbortController;
}

export class LiveReaders {
  readonly #all = new Set<Reader>();
  readonly #draining: AbortSignal;

  /** All end when `draining` is aborted, and further ones are refused. */
  constructor(draining: AbortSignal) {
    this.#draining = draining;
    draining.addEventListener("abort", () => {
      for (const { place } of this.#all) place.abort();
    });
  }

  get count(): number {
    return this.#all.size;
  }

  /**
   * Counts a request until it leaves. It has to end when `ended` is aborted. Throws AppError rate_limited or
   * unavailable.
   */
  add({ organizationId, keyId }: Caller): {
    readonly ended: AbortSignal;
    readonly leave: () => void;
  } {
    // A reader that was told that nothing has arrived would ask again at once.
    if (this.#draining.aborted) throw unavailable("closing", { retryAfterSeconds: 1 });
    const own = [...this.#all].filter((one) => one.organizationId === organizationId);
    const ofKey = own.filter((one) => one.keyId === keyId);
    const { keyReadersMax, organizationReadersMax, readersMax } = feedLimits;
    if (own.length >= organizationReadersMax) throw tooMany("organization", organizationReadersMax);
    if (ofKey.length >= keyReadersMax) throw tooMany("API key", keyReadersMax);
    if (this.#all.size >= readersMax) this.#replace(own.length + 1);
    const reader: Reader = { organizationId, keyId, place: new AbortController() };
    this.#all.add(reader);
    return { ended: reader.place.signal, leave: () => void this.#all.delete(reader) };
  }

  #replace(count: number): void {
    const [most = []] = Object.values(
      Object.groupBy(this.#all, ({ organizationId }) => organizationId),
    ).sort((one = [], other = []) => other.length - one.length);
    const [oldest] = most;
    if (oldest === undefined || most.length <= count) {
      throw unavailable("busy", { retryAfterSeconds: 1 });
    }
    this.#all.delete(oldest);
    oldest.place.abort();
  }
}

function tooMany(whose: string, max: number): AppError {
  return new AppError("rate_limited", {
    message: `Your ${whose} already has ${max} live requests for changes in progress, which is the maximum. Try again when one has ended.`,
    retryAfterSeconds: 1,
  });
}
