// Serves the console at /console: for each request, checks the limit of its address, the origin, the session and the
// right, then makes the page. A table says what a person may do; the actions check it again.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { countWaiting } from "../actions/deletion/list-deletions.ts";
import { enterSession } from "../actions/operator/session.ts";
import { requireRight } from "../actions/operator/viewer.ts";
import { OperatorError } from "../actions/operator/operator-error.ts";
import { AppError, unavailable } from "../domain/error.ts";
import { clientGone } from "../http/connection/client-gone.ts";
import { connectionOf } from "../http/connection/connection.ts";
import { refuseAmbiguousRequest, refuseBodyOfGet } from "../http/connection/request-smuggling.ts";
import type { HttpContext } from "../http/http-context.ts";
import { limitUnauthenticated } from "../http/rate-limit/enforce-limit.ts";
import { type Answer, makeRequestContext, sendAnswer } from "../http/reply/reply.ts";
import { sendError } from "../http/reply/send-error.ts";
import {
  answerOf,
  type ConsoleSources,
  type Next,
  pageAnswer,
  requireStorable,
  type Route,
  type Visitor,
  withIds,
} from "./page.ts";
import { assetAnswer } from "./frame/asset.ts";
import { readCookie, readOrganization } from "./sign-in/cookie.ts";
import { answerRefused, errorReply, isInternal, renderForward } from "./frame/error-page.ts";
import { html } from "./html/html.ts";
import { pathTo } from "./html/link.ts";
import { isFromOwnPage, originOf } from "./sign-in/origin.ts";
import { setTimeout as sleep } from "node:timers/promises";

export interface ConsoleOptions {
  readonly routes: readonly Route[];
  readonly sources: ConsoleSources;
  readonly url: string | undefined;
}

interface Console extends ConsoleOptions {
  readonly context: HttpContext;
}

type Handle = (visitor: Visitor) => Promise<Next>;

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Call when the server is built, before it listens. */
export function mountConsole(
  server: FastifyInstance,
  context: HttpContext,
  options: ConsoleOptions,
): void {
  const parts = { ...options, context };
  const queue = new PageQueue();
  for (const route of options.routes) {
    server.route({
      method: route.method,
      url: route.path,
      handler: (request, reply) => answer(parts, { request, reply }, handlerOf(route, queue)),
    });
  }
  server.get("/console/asset/:id", (request, reply) =>
    answer(parts, { request, reply }, ({ id }) => assetAnswer(request, id)),
  );
  server.all("/console/*", (request, reply) => answer(parts, { request, reply }, noPage));
}

async function noPage(): Promise<never> {
  throw new AppError("no_such_operation", { message: "There is no such page." });
}

async function answer(
  { context, sources, url }: Console,
  { request, reply }: Exchange,
  handle: Handle,
): Promise<FastifyReply> {
  makeRequestContext(request, { name: "console" });
  try {
    if (context.closing()) throw unavailable("closing", { retryAfterSeconds: 1 });
    refuseAmbiguousRequest(request.raw);
    refuseBodyOfGet(request.raw);
    limitUnauthenticated(context, request);
    const origin = originOf(request, url);
    if (origin === undefined) throw new AppError("malformed_http");
    if (request.method !== "GET" && request.method !== "HEAD" && !isFromOwnPage(request, origin)) {
      throw foreign(request, origin.text);
    }
    const query = new URLSearchParams(request.url.split("?").slice(1).join("?"));
    const { id = "" } = request.params as { readonly id?: string };
    requireStorable([...query, ["id", id]]);
    const next = await handle({ context, sources, request, reply, origin, query, id });
    const made = await answerOf(undefined, next);
    if (made !== undefined) sendAnswer(context, { request, reply }, made);
  } catch (error) {
    await sendFailure(context, { request, reply }, error);
  }
  return reply;
}

async function sendFailure(
  context: HttpContext,
  { request, reply }: Exchange,
  error: unknown,
): Promise<void> {
  const isMalformed = error instanceof AppError && error.errorName === "malformed_http";
  // `rate`: the address is over its limit.
  if (isInternal(error) || isMalformed || reply.sent || request.rate !== undefined) {
    // The error is logged, and the reply contains no internals, as everywhere.
    sendError(context, request, { reply, error });
    return;
  }
  if (error instanceof OperatorError && error.errorName === "sign_in") {
    context.failures.note(request.ip, "console");
  }
  if (error instanceof OperatorError && error.errorName === "not_permitted") {
    context.onRightRefused("console");
  }
  const failure = await errorReply(error, request);
  // A body that was refused before it was read ends the connection.
  const headers = request.raw.complete
    ? failure.headers
    : { ...failure.headers, connection: "close" };
  sendAnswer(context, { request, reply }, { ...failure, ...(headers && { headers }) });
}

/** Another site sent the request, or the proxy does not report the address that the browser used. */
function foreign({ headers }: FastifyRequest, own: string): AppError {
  const hint =
    headers.origin === undefined
      ? "The request has no header Origin."
      : headers.origin === own
        ? "The browser says that another site has sent it (Sec-Fetch-Site)."
        : `It came from ${headers.origin}, and the console is at ${own}. If both are this service, set CONSOLE_URL.`;
  return new AppError("insufficient_scope", {
    message: `Changes are accepted from pages of the console only. ${hint}`,
  });
}

function handlerOf(route: Route, queue: PageQueue): Handle {
  if (route.open === true) return route.handle;
  return async (visitor) => {
    const { context, request } = visitor;
    const secret = readCookie("session", visitor);
    const signedIn = secret === undefined ? undefined : await enterSession(context.app, secret);
    if (signedIn === undefined) return isFromElsewhere(request) ? tryAgain : signInFirst(request);
    const { app, operator, session } = signedIn;
    if (route.right !== "own") requireRight(app, route.right);
    if (route.lasting === true) connectionOf(request.raw)?.allowLasting();
    const organization = readOrganization(visitor);
    let counted: ReturnType<typeof countWaiting> | undefined;
    const waiting = () => (counted ??= countWaiting(app, organization));
    const gone = clientGone(visitor.reply.raw);
    const person = { ...visitor, app, operator, session, organization, waiting, gone };
    const make = async () => {
      if (gone.aborted && route.method === "GET") throw unavailable("gone");
      await withIds(person, person.query);
      return answerOf(person, await route.handle(person).catch(showProposed));
    };
    // What a form starts, such as a download, may last as long as its body or its reply, so that no page waits for it.
    const made = queue[route.method === "GET" ? "run" : "admit"](operator.operatorId, make);
    return made.catch((error: unknown) => answerRefused(person, route.page, error));
  };
}

function showProposed(error: unknown): Next {
  const { errorName, context = {} } = error instanceof OperatorError ? error : {};
  if (errorName !== "proposed" || context.proposalId === undefined) throw error;
  return pathTo("proposal", context.proposalId);
}

function signInFirst({ method }: FastifyRequest): Next {
  if (method === "GET" || method === "HEAD") return "/console/sign-in";
  throw new AppError("insufficient_scope", {
    message: "Your session has ended. Sign in again; nothing was changed.",
  });
}

/** Browsers send no strict cookie with a link from another site. */
function isFromElsewhere({ method, headers }: FastifyRequest): boolean {
  return method === "GET" && headers["sec-fetch-site"] === "cross-site";
}

/** A page that reloads itself; the second request comes from the own site. */
const tryAgain: Answer = pageAnswer(renderForward({ text: html`Opening the console…` }));

// Bounds the share of the event loop that pages of the console use, so that they don't slow down intake: pages are made
// one after the other, and after each one, other work has three times as long as the loop was busy while the page was
// made: by the page itself, or by work that it has delayed. A page that waits for its database delays nobody.

const pauseFactor = 3;
const pauseMsMax = 250;
/** How long a page waits at most for an earlier one, which may itself wait for a slow database. */
const waitMsMax = 1_000;
/** How many pages wait or are made, and forms are handled, of one person and in total; more are refused. */
const ofPersonMax = 16;
const openMax = 256;

/** Makes pages one after the other. A serving process has one queue. */
export class PageQueue {
  #before: Promise<void> = Promise.resolve();
  readonly #open: string[] = [];

  /** Throws AppError unavailable if too many are open. */
  run<Page>(personId: string, make: () => Promise<Page>): Promise<Page> {
    return this.admit(personId, async () => {
      const before = this.#before;
      const { promise, resolve: done } = Promise.withResolvers<void>();
      this.#before = promise;
      await Promise.race([before, sleep(waitMsMax, undefined, { ref: false })]);
      const start = performance.eventLoopUtilization();
      try {
        return await make();
      } finally {
        const { active: busyMs } = performance.eventLoopUtilization(start);
        const pauseMs = Math.min(pauseMsMax, busyMs * pauseFactor);
        setTimeout(done, pauseMs).unref();
      }
    });
  }

  /** The same for what does not wait for others. Throws AppError unavailable. */
  async admit<Page>(personId: string, make: () => Promise<Page>): Promise<Page> {
    const own = this.#open.filter((id) => id === personId).length;
    if (own >= ofPersonMax || this.#open.length >= openMax) {
      throw new AppError("unavailable", {
        message: "Too many pages or downloads are open. Try again when some of them have ended.",
        retryAfterSeconds: 1,
      });
    }
    this.#open.push(personId);
    try {
      return await make();
    } finally {
      this.#open.splice(this.#open.indexOf(personId), 1);
    }
  }
}
