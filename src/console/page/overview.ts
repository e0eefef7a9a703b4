// The overview: what waits for a person, and the open deletions.

import {
  deletionsCountedMax,
  type Overview,
  readOverview,
  type Agenda,
  readAgenda,
} from "../../actions/upkeep/read-overview.ts";
import { type Figure, html, type Html, renderEmpty, renderFigures } from "../html/html.ts";
import { formatCounted, type Next, type Person, readPanels } from "../page.ts";
import { formatDuration, formatNumber } from "../html/time.ts";
import { sluice } from "../../basics/program-name.ts";

export async function showOverview(person: Person): Promise<Next> {
  const { app } = person;
  const [overview, figures, agenda] = await Promise.all([
    readOverview(app, person.organization),
    readPanels(person, (panels) => panels.overview),
    renderAgenda(person),
  ]);
  const body = html`${overview.organizations === 0 ? firstSteps : agenda}
    ${renderState(overview, app.now(), figures)}
    <p class="note">
      Deletions of
      ${!overview.countsConfidential && "confidential records, of closed organizations and of "}
      restricted sets are not counted.
    </p>`;
  return { title: "Overview", screen: "/console", body };
}

const firstSteps = html`<section class="empty">
  <h2>Nothing is here yet</h2>
  <p>First create an organization and a key for it, on the server:</p>
  <pre><code>${sluice} organization create --name "Acme Payments" --id acme
${sluice} key create --organization acme</code></pre>
</section>`;

type Duties = Omit<Agenda, "isEveryHoldRead"> & Awaited<ReturnType<Person["waiting"]>>;

const duties: readonly (readonly [name: keyof Duties, label: string, path: string])[] = [
  ["deletions", "Deletions that need your approval", "/console/deletions?wait=mine"],
  ["proposals", "Proposals that need your approval", "/console/proposals"],
  [
    "nearMonth",
    "Pending deletions of requests older than three weeks (Article 12(3) GDPR allows a month)",
    "/console/deletions?status=pending&sort=due",
  ],
  ["reviewsOverdue", "Holds whose review is overdue", "/console/holds?review=overdue"],
  ["reviewsAhead", "Holds to be reviewed this quarter", "/console/holds?review=quarter"],
  ["holdsEnding", "Holds that end this quarter by themselves", "/console/holds?end=quarter"],
  [
    "floorsEnding",
    "Deletions whose retention floor ends this quarter",
    "/console/deletions?wait=floor",
  ],
];

async function renderAgenda({ app, organization, waiting }: Person): Promise<Html> {
  const [read, counts] = await Promise.all([readAgenda(app, organization), waiting()]);
  const agenda = { ...read, ...counts };
  const due = duties.filter(([name]) => agenda[name] > 0);
  const unread =
    !agenda.isEveryHoldRead &&
    html`<p class="note">There are more holds than were read here, and may be more to do.</p>`;
  if (due.length === 0) return html`${renderEmpty("Nothing waits for you.")} ${unread}`;
  return html`<section aria-labelledby="agenda">
    <h2 id="agenda">What waits for you</h2>
    <ul>
      ${due.map(
        ([name, label, path]) =>
          html`<li><a href="${path}">${label}</a>: ${formatCounted(agenda[name])}</li>`,
      )}
    </ul>
    ${unread}
  </section>`;
}

function renderState(
  { queue }: Overview,
  now: number,
  figures: readonly (Figure | undefined)[],
): Html {
  const { open, overdue, oldestDueAt } = queue;
  const oldest =
    overdue > 0 &&
    oldestDueAt !== undefined &&
    html` <small>the oldest was due ${formatDuration(Math.max(0, now - oldestDueAt))} ago</small>`;
  return renderFigures([
    ["Open deletions", renderCount(open, "status=pending")],
    [
      "Overdue deletions",
      html`${renderCount(overdue, "status=pending&sort=due")}${oldest}`,
      overdue > 0 ? "warn" : "fine",
    ],
    ...figures.filter((figure) => figure !== undefined),
  ]);
}

function renderCount(count: number, query: string): Html {
  return html`<a href="/console/deletions?${query}">${formatCount(count)}</a>`;
}

function formatCount(count: number): string {
  return count >= deletionsCountedMax ? `${formatNumber(count)} or more` : formatNumber(count);
}
