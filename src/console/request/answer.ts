// Replies of the console: pages, redirects and JSON, with the headers that bound what a browser does with them.

import type { Answer } from "../../http/reply/reply.ts";
import type { Html } from "../html/html.ts";

/** Nothing but the own stylesheet, the own script, and requests to the own origin. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The policy is not no-referrer, with which browsers would send forms with `Origin: null`. */
const headers = {
  "cache-control": "no-store",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
};

/** The headers of a stream of events, which no proxy may hold back. */
export const eventHeaders = {
  ...headers,
  "content-type": "text/event-stream; charset=utf-8",
  "x-content-type-options": "nosniff",
  "x-accel-buffering": "no",
};

/** Returns the headers of a file to store, whose name may have any character. */
export function fileHeaders(name: string): Readonly<Record<string, string>> {
  return {
    ...headers,
    "content-type": "application/octet-stream",
    "x-content-type-options": "nosniff",
    "content-disposition": `attachment; filename*=UTF-8''${encodeName(name)}`,
  };
}

/** Leaves only the characters that RFC 8187, section 3.2.1, allows. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export interface AnswerOptions {
  readonly status?: number;
  /** A value of Set-Cookie. */
  readonly cookie?: string | undefined;
}

export function pageAnswer(page: Html, { status = 200, cookie }: AnswerOptions = {}): Answer {
  return {
    status,
    body: page.text,
    contentType: "text/html; charset=utf-8",
    headers: withCookie(cookie),
  };
}

/** After a change, so that reloading the next page does not repeat it. */
export function redirectTo(path: `/console${string}`, cookie?: string): Answer {
  return { status: 303, body: undefined, headers: { ...withCookie(cookie), location: path } };
}

export function jsonReply(body: object, { status = 200, cookie }: AnswerOptions = {}): Answer {
  return { status, body: JSON.stringify(body), headers: withCookie(cookie) };
}

function withCookie(cookie: string | undefined): Record<string, string> {
  return cookie === undefined ? headers : { ...headers, "set-cookie": cookie };
}
