// Live progress for pages, by server-sent events. A stream ends with its session, with the work it shows, or with the
// service, and is closed if the browser does not read it. The number of streams is bounded, for each person and in
// total.

import type { FastifyReply, FastifyRequest } from "fastify";
import { findSession } from "../../actions/operator/session.ts";
import { AppError } from "../../domain/error.ts";
import type { Operator } from "../../domain/operator.ts";
import type { HttpContext } from "../../http/http-context.ts";
import { eventHeaders } from "./headers.ts";
import { readSessionCookie } from "../sign-in/cookie.ts";
import type { Origin } from "../sign-in/origin.ts";

/** The person who views the page. */
interface Viewer {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly origin: Origin;
  readonly context: Pick<HttpContext, "app">;
  readonly operator: Pick<Operator, "operatorId">;
}

export interface Subscription {
  /** The next data for the page; undefined at the end. */
  readonly read: () => object | undefined;
  /** Calls `onChange` after each change, until the returned function is called. */
  readonly watch: (onChange: () => void) => () => void;
}

/** How many streams one person can have, so that nobody can use up those of others by opening many sessions. */
const ofPersonMax = 8;
const streamsMax = 200;
/** The time between two events of a stream; also how soon it ends after its session. */
const tickMs = 500;
/** How many ticks are between heartbeats, which show proxies that the connection is alive. */
const heartbeatTicks = 30;
/** How many bytes the browser may leave unread, apart from those in the buffers of the system. */
const unreadBytesMax = 16 * 1_024;

interface Stream {
  readonly operatorId: string;
  readonly close: () => void;
}

export class EventStreams {
  readonly #open = new Set<Stream>();

  get count(): number {
    return this.#open.size;
  }

  /** Answers the request, and returns at once. Throws AppError unavailable. */
  open(viewer: Viewer, { read, watch }: Subscription): void {
    const { reply, operator } = viewer;
    const { operatorId } = operator;
    this.#requireRoom(operatorId);
    const { raw: response } = reply;
    response.writeHead(200, eventHeaders);
    reply.hijack();
    let [isChanged, isAsking, ticks] = [true, false, 0];
    const send = (): void => {
      const state = read();
      isChanged = false;
      const event = state === undefined ? "end" : "state";
      response.write(`event: ${event}\ndata: ${JSON.stringify(state ?? {})}\n\n`);
      if (state === undefined) stream.close();
    };
    const tick = (): void => {
      ticks += 1;
      if (response.writableLength > unreadBytesMax) response.destroy();
      else if (isChanged) send();
      else if (ticks % heartbeatTicks === 0) response.write(": alive\n\n");
      if (isAsking) return;
      isAsking = true;
      void isSignedIn(viewer)
        .then((known) => known || stream.close())
        .catch(() => stream.close())
        .finally(() => (isAsking = false));
    };
    const timer = setInterval(tick, tickMs);
    const unwatch = watch(() => (isChanged = true));
    const stream = { operatorId, close: () => void response.end() };
    this.#open.add(stream);
    response.once("close", () => {
      clearInterval(timer);
      unwatch();
      this.#open.delete(stream);
    });
    send();
  }

  /** Closes all streams when the service stops, which does not wait for browsers. */
  closeAll(): void {
    for (const stream of this.#open) stream.close();
  }

  #requireRoom(operatorId: string): void {
    const own = [...this.#open].filter((stream) => stream.operatorId === operatorId);
    if (own.length < ofPersonMax && this.#open.size < streamsMax) return;
    throw new AppError("unavailable", {
      message: "Too many pages show live progress. Close some of them, or reload this one.",
      retryAfterSeconds: 5,
    });
  }
}

async function isSignedIn({ context, request, origin }: Viewer): Promise<boolean> {
  const secret = readSessionCookie(request.headers, origin);
  return secret !== undefined && (await findSession(context.app, secret)) !== undefined;
}
