// Answers requests that failed, with a page or with JSON for the script. Never shows internals.

import type { FastifyRequest } from "fastify";
import { OperatorError, type OperatorErrorName } from "../../actions/operator/operator-error.ts";
import type { FeatureName } from "../../basics/name-rows.ts";
import { AppError, statusOf } from "../../domain/error.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { type Html, html } from "../html/html.ts";
import { refillForm } from "../html/refill.ts";
import {
  answerOf,
  jsonReply,
  type Person,
  type PersonalRoute,
  sentForm,
  showPage,
} from "../page.ts";

interface Failure {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly list?: string | undefined;
}

const lists: { readonly [Name in OperatorErrorName | FeatureName]?: string } = {
  no_such_deletion: "/deletions",
  no_such_hold: "/holds",
  no_such_organization: "/organizations",
};

function explain(error: unknown): Failure | undefined {
  if (error instanceof OperatorError) {
    const { errorName: name, message, row } = error;
    const { status } = row;
    return { status, title: titles[status] ?? "Not possible", message, list: lists[name] };
  }
  if (!(error instanceof AppError) || error.errorName === "internal") return undefined;
  const status = statusOf(error);
  return { status, title: titles[status] ?? "Not possible", message: error.message };
}

const titles: Readonly<Record<number, string>> = {
  400: "Not valid",
  403: "Not permitted",
  404: "Not found",
  408: "Not received in time",
  409: "Not possible now",
  413: "Too large",
  415: "Not in the right form",
  429: "Too many requests",
  503: "Not available",
};

/** The fields that errors of actions name; forms use these names. */
const fields: { readonly [Name in OperatorErrorName | FeatureName]?: string } = {
  no_such_organization: "organization",
  organization_exists: "id",
  no_such_type: "type",
};

/** The fields that identify the object of a form, and so of its page; and a rule that was planned there. */
const keys: ReadonlySet<string> = new Set(
  "organization type id status wait rule from keep delete references".split(" "),
);

/**
 * Answers a person who has signed in, with the navigation in place: the form again with the entered values and the
 * message at its field, or the message alone. Throws the error again if it is internal, or if there is no page to show.
 */
export async function answerRefused(
  person: Person,
  page: PersonalRoute["handle"] | undefined,
  error: unknown,
): Promise<Answer> {
  const failure = explain(error);
  const { request, reply } = person;
  if (failure === undefined || failure.status >= 500 || isJson(request) || reply.sent) throw error;
  const again = await showAgain(person, page, { error, failure });
  const { status, title, message, list = "" } = failure;
  const answer =
    again ?? (await showPage(person, { title, body: renderFailure(message, list), status }));
  if (request.method === "GET" || request.raw.complete) return answer;
  // A body that was refused before it was read ends the connection.
  return { ...answer, headers: { ...answer.headers, connection: "close" } };
}

async function showAgain(
  person: Person,
  page: PersonalRoute["handle"] | undefined,
  { error, failure }: { readonly error: unknown; readonly failure: Failure },
): Promise<Answer | undefined> {
  const form = sentForm(person);
  if (page === undefined || form === undefined || !(error instanceof OperatorError))
    return undefined;
  const query = new URLSearchParams([...form].filter(([name]) => keys.has(name)));
  // The object of the form may no longer exist; then there is no page to show.
  const shown = await page({ ...person, query })
    .then((next) => answerOf(person, next))
    .catch(() => undefined);
  if (typeof shown?.body !== "string") return undefined;
  const { status, message } = failure;
  const field = error.context.field ?? fields[error.errorName];
  const path = person.request.url.replace(/\?.*/, "");
  return { ...shown, status, body: refillForm(shown.body, { path, form, message, field }) };
}

function isJson({ headers }: FastifyRequest): boolean {
  return (headers["content-type"] ?? "").startsWith("application/json");
}

export async function errorReply(error: unknown, request: FastifyRequest): Promise<Answer> {
  const internal: Failure = {
    status: 500,
    title: "Something went wrong here",
    message: `The log has the reason under the request id ${request.id}.`,
  };
  const { status, title, message, list = "" } = explain(error) ?? internal;
  const answer = isJson(request)
    ? jsonReply({ message }, { status })
    : await showPage(undefined, { title, body: renderFailure(message, list), status });
  const retry = error instanceof AppError ? error.retryAfterSeconds : undefined;
  if (retry === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, "retry-after": String(retry) } };
}

function renderFailure(message: string, list: string): Html {
  return html`<section class="narrow">
    <p>${message}</p>
    <p><a href="/console${list}">To the ${list === "" ? "overview" : "list"}</a></p>
  </section>`;
}

export function isInternal(error: unknown): boolean {
  return explain(error) === undefined;
}

// A page that forwards to another one without JavaScript.

interface Forward {
  /** Undefined for the same page. */
  readonly to?: string;
  readonly text: Html;
}

export function renderForward({ to, text }: Forward): Html {
  const refresh = to === undefined ? "0" : `0; url=${to}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Sluice</title>
        <meta http-equiv="refresh" content="${refresh}" />
      </head>
      <body>
        <p>${text}</p>
      </body>
    </html> `;
}
