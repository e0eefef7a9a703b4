// The frame of every page: head, navigation by task, the organization in which the person works, and the breadcrumbs of
// the page.

import { mayDo } from "../../domain/operator-right.ts";
import { effectiveRoles, type Operator } from "../../domain/operator.ts";
import { type Html, html, renderElement } from "../html/html.ts";
import { organizationList, renderOrganization } from "../html/party.ts";
import { assetPath } from "./asset.ts";
import { findScreen, type Screen, type Task } from "./screens.ts";

export interface PageView {
  readonly title: string;
  readonly id?: string;
  /** The organization that a page without an id is about. */
  readonly organizationId?: string;
  readonly screen?: string;
  readonly body: Html;
  /** The pages between the screen and this one. */
  readonly within?: readonly (readonly [path: string, label: string])[];
  /** Stands beside the title: the state as a chip, and the main action. */
  readonly aside?: Html | undefined;
  /** A browser without JavaScript reloads the page after this time, because the page shows work in progress. */
  readonly refreshSeconds?: number;
  readonly status?: number;
}

/** What needs the approval of the person on each screen: how much, and the query by which the screen shows it. */
type CountsByPath = Readonly<Record<string, { readonly query: string; readonly count: string }>>;

export interface Reader {
  readonly operator: Operator;
  /** The chosen organization; undefined for all. */
  readonly organization: string | undefined;
  readonly waiting: CountsByPath;
  readonly tasks: readonly Task[];
  /** The path of the page; undefined for the answer to a form. */
  readonly shown: string | undefined;
  readonly now: number;
}

export function renderPage(view: PageView, reader: Reader | undefined): Html {
  const { title, id, organizationId, body, aside, refreshSeconds } = view;
  const ownId = id !== undefined && html` <small class="id"><bdi>${id}</bdi></small>`;
  const owner =
    organizationId !== undefined && html` <small>${renderOrganization(organizationId)}</small>`;
  const now = reader && new Date(reader.now).toISOString();
  return html`<!doctype html>
    <html lang="en" data-now="${now}">
      <head>
        <meta charset="utf-8" />
        <title>${[title, id].join(" ").trim()} · Sluice</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refreshSeconds !== undefined && renderRefresh(refreshSeconds)}
        <link rel="icon" href="${assetPath("icon.svg")}" />
        <link rel="stylesheet" href="${assetPath("console.css")}" />
        <script src="${assetPath("console.js")}" defer></script>
      </head>
      <body class="${reader === undefined ? "alone" : "framed"}">
        <a class="skip" href="#main">Skip to the content</a>
        ${reader === undefined ? alone : renderFrame(reader, view.screen)}
        <main id="main" tabindex="-1">
          ${reader !== undefined && renderWay(reader, view)}
          <div class="title">
            <h1>${title}${ownId}${owner}</h1>
            ${aside}
          </div>
          ${body} ${reader !== undefined && organizationList}
        </main>
      </body>
    </html> `;
}

function renderRefresh(seconds: number): Html {
  return html`<noscript><meta http-equiv="refresh" content="${seconds}" /></noscript>`;
}

const alone = html`<header class="top"><a class="brand" href="/console">Sluice</a></header>`;

function renderFrame(
  { operator, organization, waiting, tasks }: Reader,
  current: string | undefined,
): Html {
  const roles = effectiveRoles(operator);
  const groups = tasks.map(({ label, screens: all }) => {
    const links = all
      .filter(({ right }) => right === "own" || mayDo(roles, right))
      .map((screen) => renderScreen(screen, waiting, screen.path === current));
    const heading = label !== undefined && html`<h2>${label}</h2>`;
    return (
      links.length > 0 &&
      html`${heading}
        <ul>
          ${links}
        </ul>`
    );
  });
  const back = encodeURIComponent(current ?? "/console");
  return html`<nav class="side" id="menu" aria-label="Screens">
      <a class="brand" href="/console">Sluice</a>
      ${groups}
      <a class="close" href="#main">Close the menu</a>
    </nav>
    <header class="top">
      <a class="open" href="#menu">${renderIcon("menu")} Menu</a>
      <a class="chosen" href="/console/organizations?back=${back}"
        ><span class="sr">Organization: </span>${renderIcon("building")}
        ${organization === undefined ? "All organizations" : renderOrganization(organization)}</a
      >
      <form class="who" method="post" action="/console/sign-out">
        <span><bdi>${operator.name}</bdi> <small>${operator.roles.join(", ")}</small></span>
        <button type="submit">Sign out</button>
      </form>
    </header>`;
}

function renderScreen(
  { path, label, icon }: Screen,
  waiting: CountsByPath,
  isCurrent: boolean,
): Html {
  const attributes = { href: path, "aria-current": isCurrent && "page" };
  const { query = "", count = "0" } = waiting[path] ?? {};
  return html`<li>
    ${renderElement("a", attributes, html`${renderIcon(icon)} ${label}`)}${
      count !== "0" &&
      html`<a class="count" href="${path}${query}"
        >${count}<span class="sr"> need your approval</span></a
      >`
    }
  </li>`;
}

export function renderIcon(name: string): Html {
  return html`<svg class="icon" aria-hidden="true">
    <use href="${assetPath("icons.svg")}#${name}" />
  </svg>`;
}

function renderWay({ shown, tasks }: Reader, { screen, within = [] }: PageView): Html | false {
  const found = findScreen(tasks, screen);
  if (found === undefined || shown === screen) return false;
  const steps = [[found.path, found.label] as const, ...within];
  return html`<nav class="way" aria-label="Breadcrumb">
    <ol>
      ${steps.map(([path, label]) => html`<li><a href="${path}">${label}</a></li>`)}
    </ol>
  </nav>`;
}
