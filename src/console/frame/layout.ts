// The frame of every page: head, navigation and main part. Contains no page of its own.

import { type OperatorRight, rightsOf } from "../../domain/operator-right.ts";
import { assetPath } from "./asset.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { type Html, html, renderElement } from "../html/html.ts";
import { type AnswerOptions, pageAnswer } from "../request/answer.ts";
import type { Person } from "../request/request.ts";

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

export interface PageView {
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
