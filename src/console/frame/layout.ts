// The frame of every page: head, navigation and main part. Contains no page of its own.

import { type OperatorRight, rightsOf } from "../../domain/operator-right.ts";
import { assetPath } from "./asset.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { type Html, html, renderElement } from "../html/html.ts";
import { type AnswerOptions, pageAnswer, jsonReply } from "../request/answer.ts";
import type { Person } from "../request/request.ts";
import {
  OperatorError,
  type OperatorErrorName,
  operatorErrors,
} from "../../actions/operator/operator-error.ts";
import { AppError, statusOf } from "../../domain/error.ts";

/** A screen in the navigation; people without the right don't see it. */
interface Screen {
  readonly path: string;
  readonly label: string;
  readonly right: OperatorRight | "own";
}

const screens: readonly Screen[] = [
  { path: "/console", label: "Overview", right: "overview.read" },
  { path: "/console/deletions", label: "Deletions", right: "deletion.read" },
  { path: "/console/find", label: "Find", right: "record.find" },
  { path: "/console/holds", label: "Holds", right: "hold.read" },
  { path: "/console/retention", label: "Retention", right: "retention.read" },
  { path: "/console/organizations", label: "Organizations", right: "organization.read" },
  { path: "/console/audit", label: "Audit", right: "audit.read" },
  { path: "/console/receipts", label: "Receipts", right: "deletion.read" },
  { path: "/console/intake", label: "Intake", right: "intake.read" },
  { path: "/console/health", label: "Health", right: "health.read" },
  { path: "/console/account", label: "Account", right: "own" },
];

interface PageView {
  readonly title: string;
  /** The path of the screen to which the page belongs. */
  readonly screen?: string;
  readonly body: Html;
  /** A browser without JavaScript loads the page again after this time, because it shows something that goes on. */
  readonly refreshSeconds?: number;
}

/** Answers with a page; `person` is who has signed in. */
export function showPage(
  person: Pick<Person, "operator"> | undefined,
  view: PageView,
  options?: AnswerOptions,
): Answer {
  return pageAnswer(renderPage(view, person), options);
}

function renderPage(
  { title, screen, body, refreshSeconds }: PageView,
  person: Pick<Person, "operator"> | undefined,
): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · Sluice</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refreshSeconds !== undefined && renderRefresh(refreshSeconds)}
        <link rel="icon" href="${assetPath("icon.svg")}" />
        <link rel="stylesheet" href="${assetPath("console.css")}" />
        <script src="${assetPath("console.js")}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a class="brand" href="/console">Sluice</a>
          ${person === undefined ? false : renderNavigation(person, screen)}
        </header>
        <main id="main" tabindex="-1">
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `;
}

function renderRefresh(seconds: number): Html {
  return html`<noscript><meta http-equiv="refresh" content="${seconds}" /></noscript>`;
}

function renderNavigation(
  { operator }: Pick<Person, "operator">,
  screen: string | undefined,
): Html {
  const rights = rightsOf(operator.roles);
  const shown = screens.filter(({ right }) => right === "own" || rights.has(right));
  const links = shown.map(({ path, label }) => {
    const current = path === screen && "page";
    return html`<li>${renderElement("a", { href: path, "aria-current": current }, label)}</li>`;
  });
  return html`<nav aria-label="Screens">
      <ul>
        ${links}
      </ul>
    </nav>
    <form class="who" method="post" action="/console/sign-out">
      <span><bdi>${operator.name}</bdi> <small>${operator.roles.join(", ")}</small></span>
      <button type="submit">Sign out</button>
    </form>`;
}

// Answers requests that failed: with a page, or with JSON for the script. Never shows internals.

interface Failure {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  /** The page that shows what there is. */
  readonly list?: string | undefined;
}

const lists: { readonly [Name in OperatorErrorName]?: string } = {
  no_such_deletion: "/deletions",
  no_such_hold: "/holds",
  no_such_organization: "/organizations",
};

/** Undefined for an internal error. */
function explain(error: unknown): Failure | undefined {
  if (error instanceof OperatorError) {
    const { errorName: name, message } = error;
    const { status } = operatorErrors[name];
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

interface ErrorReply {
  readonly error: unknown;
  readonly requestId: string;
  readonly wantsJson: boolean;
}

export function errorReply({ error, requestId, wantsJson }: ErrorReply): Answer {
  const internal: Failure = {
    status: 500,
    title: "Something went wrong here",
    message: `The log has the reason under the request id ${requestId}.`,
  };
  const { status, title, message, list = "" } = explain(error) ?? internal;
  const answer = wantsJson
    ? jsonReply({ message }, { status })
    : showPage(undefined, { title, body: renderFailure(message, list) }, { status });
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

/** True for an error that has to be in the log. */
export function isInternal(error: unknown): boolean {
  return explain(error) === undefined;
}

// A page that forwards to another one without JavaScript.

interface Forward {
  /** Undefined for the same page again. */
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
