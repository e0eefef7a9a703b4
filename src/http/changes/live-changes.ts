// Live requests for changes: a long poll waits for the next events, a stream (server-sent events) goes on with them.
// Neither counts as a request in progress while it waits. A reader that is slow has at most one part of a stream in
// memory.

import type { ServerResponse } from "node:http";
import type { Identity } from "../../actions/access/caller-cache.ts";
import { identifyCaller } from "../../actions/access/identify-caller.ts";
import type { Reading } from "../../actions/change/change-feed.ts";
import type { Cursor, FeedPage } from "../../actions/change/read-changes.ts";
import { limits } from "../../domain/limits.ts";
import type { HttpContext } from "../http-context.ts";
import { tokensOf } from "../load/work-tokens.ts";
import type { HandlerInput } from "../operation.ts";
import { rateFields } from "../rate-limit/rate-limit.ts";
import { nameForMetrics } from "../reply/reply.ts";
import { sendError } from "../reply/send-error.ts";
import { answerPage } from "./change-answer.ts";
import { nextCursor } from "./reader-cursor.ts";

/** How often the token of a reader that waits is checked. */
const checkMs = 2_000;

export interface LiveReading extends Reading {
  /** The cursor that the reader sent. */
  readonly cursor: number;
}

/** Waits after `page`, which has no event, and answers. Never rejects. */
export async function answerLater(
  context: HttpContext,
  input: HandlerInput,
  { reading, page }: { readonly reading: LiveReading; readonly page: FeedPage },
): Promise<void> {
  const { request, reply, requestContext } = input;
  const signal = readerGone(reply.raw);
  try {
    const until = endOf(context, input.caller, limits.longPollMs);
    const from = page.next;
    const found = await waitOn(context, input, { ...reading, from, until, signal });
    if (signal.aborted && reply.raw.destroyed) return;
    requestContext.startedAt = performance.now();
    const answer = answerPage(found ?? page, reading.cursor);
    chargePage(context, input.caller, found);
    if (found !== undefined) context.replies.send(request, reply, answer);
    else context.replies.send(request, reply, { ...answer, status: 204, body: undefined });
  } catch (error) {
    sendError(context, request, { reply, error });
  }
}

interface Waiting extends Reading {
  readonly from: Cursor;
  readonly until: number;
  readonly signal: AbortSignal;
}

/** Undefined at the end. Throws AppError credential_* when the token has ended, and what makes the store unreadable. */
async function waitOn(
  { app, feed }: HttpContext,
  { request }: HandlerInput,
  { until, signal, ...reading }: Waiting,
): Promise<FeedPage | undefined> {
  for (;;) {
    const checkAt = app.now() + checkMs;
    const page = await feed.wait(reading, { until: Math.min(until, checkAt), signal });
    if (page === undefined && (feed.stopped || signal.aborted)) return undefined;
    await identifyCaller(app, request.headers.authorization);
    if (page !== undefined || app.now() >= until) return page;
  }
}

/** The first page is read before the head is sent, so that an error can be answered. Rejects only before. */
export async function beginStream(
  context: HttpContext,
  input: HandlerInput,
  reading: LiveReading,
): Promise<() => Promise<void>> {
  const { reply, request, requestContext, caller } = input;
  const signal = readerGone(reply.raw);
  const first = await context.feed.read(reading, signal);
  reply.raw.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-request-id": request.id,
    "x-content-type-options": "nosniff",
    ...rateFields(requestContext.rate),
  });
  reply.hijack();
  const name = nameForMetrics(requestContext);
  const seconds = (performance.now() - requestContext.startedAt) / 1_000;
  if (name !== undefined) context.observe(name, 200, seconds);
  const until = endOf(context, caller, limits.changeStreamMs);
  const write = (page: FeedPage): boolean =>
    reply.raw.write(partOf(page, nextCursor(reading.cursor)));
  const next = async (page: FeedPage): Promise<FeedPage | undefined> => {
    const from = page.next;
    if (page.upToDate) return waitOn(context, input, { ...reading, from, until, signal });
    await identifyCaller(context.app, request.headers.authorization);
    return context.feed.read({ ...reading, from }, signal);
  };
  const isOver = (): boolean => context.feed.stopped || context.app.now() >= until;
  return async () => {
    try {
      for (let page: FeedPage | undefined = first; page !== undefined; page = await next(page)) {
        chargePage(context, caller, page);
        if (!write(page)) await drained(reply.raw, isOver);
        if (signal.aborted || isOver()) break;
      }
    } catch {
      // The reader connects again, and is told why that is not possible.
    }
    reply.raw.end();
  };
}

/** The text of JSON has no line breaks. */
function partOf({ events, list, offset, upToDate }: FeedPage, cursor: string): string {
  const control = {
    streamNextOffset: offset,
    streamCursor: cursor,
    ...(upToDate ? { upToDate } : {}),
  };
  const data = events.length === 0 ? "" : `event: data\ndata: ${list}\n\n`;
  return `${data}event: control\ndata: ${JSON.stringify(control)}\n\n`;
}

/** A live request ends with its token. */
function endOf({ app }: HttpContext, { expiresAt }: Identity, lastingMs: number): number {
  return Math.min(app.now() + lastingMs, expiresAt);
}

function chargePage(context: HttpContext, caller: Identity, page: FeedPage | undefined): void {
  const items = page?.events.length ?? 0;
  if (items > 0) void context.rates.work(caller, tokensOf({ items, bytes: 0, processorMs: 0 }));
}

/**
 * A client that closes its side of the connection reads no more of a live reply, or waits for its end. One that has
 * sent its next request waits for that; the connection is not read meanwhile, so its end would not be noticed.
 */
function readerGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const { socket } = response;
  const leave = (): void => gone.abort();
  // It may have left while the first page was read.
  if (response.destroyed || socket === null || socket.readableEnded || socket.isPaused()) leave();
  socket?.once("end", leave).once("pause", leave);
  response.once("close", () => {
    socket?.off("end", leave).off("pause", leave);
    leave();
  });
  return gone.signal;
}

/** A reader that has not read a part when its stream is over is disconnected, however slowly it goes on reading. */
function drained(response: ServerResponse, isOver: () => boolean): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setInterval(() => isOver() && response.destroy(), checkMs).unref();
    const finish = (): void => {
      clearInterval(timer);
      response.off("drain", finish).off("close", finish);
      resolve();
    };
    response.on("drain", finish).on("close", finish);
  });
}
