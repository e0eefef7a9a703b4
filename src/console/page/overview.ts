// The overview: the intake of this process, the open deletions, and the state of the store.

import { titleOf } from "../../domain/record-types.ts";
import {
  deletionsCountedMax,
  type IntakeType,
  type Overview,
  readOverview,
} from "../../actions/upkeep/read-overview.ts";
import { type Agenda, readAgenda } from "../../actions/operator/read-agenda.ts";
import type { IntakeMinute } from "../../metrics/history.ts";
import { renderChart, type Slot } from "../html/chart.ts";
import { renderTabs } from "../html/chip.ts";
import {
  type Column,
  html,
  type Html,
  type HtmlValue,
  renderFacts,
  renderFigures,
  renderTable,
} from "../html/html.ts";
import { formatCounted, type Next, type Person, readPanels } from "../page.ts";
import {
  formatSeconds,
  quantile,
  formatBytes,
  formatDuration,
  formatNumber,
  renderTime,
} from "../html/time.ts";

interface Period {
  readonly name: string;
  readonly label: string;
  readonly slots: number;
  readonly minutesOfSlot: number;
}

const hour: Period = { name: "hour", label: "the last hour", slots: 60, minutesOfSlot: 1 };
const day: Period = { name: "day", label: "the last 24 hours", slots: 48, minutesOfSlot: 30 };

export async function showOverview(person: Person): Promise<Next> {
  const { app, query, sources } = person;
  const overview = await readOverview(app);
  const period = query.get("period") === day.name ? day : hour;
  const figures = await readPanels(person, (panels) => panels.overview);
  const { minutes, buckets } = sources.history.read();
  const slots = toSlots(minutes, period, app.now());
  const agenda = await readAgenda(app, person.organization);
  const body = html`${overview.organizations === 0 && firstSteps} ${renderAgenda(agenda)}
    ${renderState(overview, app.now(), figures)} ${renderPeriods(period)}
    ${renderRecords(overview.types, slots, period)} ${renderRefusals(slots, period)}
    ${renderDurations(slots, { buckets, label: period.label })}
    <p class="note">
      Counted by this process since its start at most a day ago; other processes of the same store
      count their own. Deletions of
      ${!overview.countsConfidential && "confidential records, of closed organizations and of "}
      restricted sets are not counted.
    </p>`;
  return { title: "Overview", screen: "/console", body };
}

const firstSteps = html`<section class="empty">
  <h2>Nothing is here yet</h2>
  <p>First create an organization and a key for it, on the server:</p>
  <pre><code>sluice organization create --name "Acme Payments" --id acme
sluice key create --organization acme</code></pre>
</section>`;

const duties: readonly (readonly [name: keyof Agenda, label: string, path: string])[] = [
  ["deletionsToApprove", "Deletions that need your approval", "/console/deletions?wait=mine"],
  ["proposals", "Proposals that need your approval", "/console/proposals"],
  [
    "nearMonth",
    "Open deletions of requests older than three weeks (Article 12(3) GDPR allows a month)",
    "/console/deletions?status=pending&sort=due",
  ],
  ["reviewsOverdue", "Holds whose review is overdue", "/console/holds?review=overdue"],
  ["holdsEnding", "Holds that end soon by themselves", "/console/holds?end=soon"],
];

/** What waits for the person; nothing if nothing does. */
function renderAgenda(agenda: Agenda): Html | undefined {
  const due = duties.filter(([name]) => agenda[name] > 0);
  if (due.length === 0) return undefined;
  return html`<section aria-labelledby="agenda">
    <h2 id="agenda">What waits for you</h2>
    <ul>
      ${due.map(
        ([name, label, path]) =>
          html`<li><a href="${path}">${label}</a>: ${formatCounted(agenda[name])}</li>`,
      )}
    </ul>
  </section>`;
}

function renderState(overview: Overview, now: number, figures: HtmlValue): Html {
  const { queue, storeBytes, engine, lastBackup } = overview;
  const { open, overdue, oldestDueAt, awaitingApproval } = queue;
  const unapproved =
    awaitingApproval > 0 &&
    html` <small
      ><a href="/console/deletions?wait=approval"
        >${formatCount(awaitingApproval)} to be approved</a
      ></small
    >`;
  const oldest =
    oldestDueAt === undefined
      ? "none"
      : html`the oldest was due ${formatDuration(Math.max(0, now - oldestDueAt))} ago`;
  const backup =
    lastBackup === undefined
      ? html`none
          <small
            >by
            <code>sluice backup</code
            >${engine.isServer && `; ${engine.title} has its own tools`}</small
          >`
      : html`${renderTime(lastBackup.at)} by <bdi>${lastBackup.actor}</bdi>`;
  return renderFigures(
    [
      ["Open deletions", html`${formatCount(open)}${unapproved}`],
      [
        "Overdue deletions",
        html`${formatCount(overdue)} <small>${overdue > 0 && oldest}</small>`,
        overdue > 0 ? "warn" : "fine",
      ],
      [
        "Size of the store",
        storeBytes && html`${formatBytes(storeBytes)} <small>${engine.title}</small>`,
      ],
      ["Last backup", backup, lastBackup === undefined ? "warn" : "fine"],
    ],
    figures,
  );
}

function formatCount(count: number): string {
  return count >= deletionsCountedMax ? `${formatNumber(count)} or more` : formatNumber(count);
}

function renderPeriods(current: Period): Html {
  const tabs = [hour, day].map(({ name, label }) => ({
    href: `/console?period=${name}`,
    label,
    isCurrent: name === current.name,
  }));
  return renderTabs("Period", tabs);
}

interface Minutes {
  readonly at: number;
  /** Undefined for a time before the start of the process, which counted nothing then. */
  readonly minutes: readonly IntakeMinute[] | undefined;
}

function toSlots(
  minutes: readonly IntakeMinute[],
  { slots, minutesOfSlot }: Period,
  now: number,
): readonly Minutes[] {
  const shown = minutes.slice(-slots * minutesOfSlot);
  return Array.from({ length: slots }, (_, slot) => {
    const left = slots - slot;
    const end = shown.length - (left - 1) * minutesOfSlot;
    const part = shown.slice(Math.max(0, end - minutesOfSlot), Math.max(0, end));
    const at = now - left * minutesOfSlot * 60_000;
    return { at, minutes: part.length === 0 ? undefined : part };
  });
}

type Count = (minute: IntakeMinute) => Readonly<Record<string, number>>;

/** A chart of the sums of these names, with the parts of each bar. */
function renderCounts(
  slots: readonly Minutes[],
  count: Count,
  {
    names,
    ...chart
  }: { readonly names: readonly string[]; readonly label: string; readonly unit: string },
): Html {
  const shown = slots.map(({ at, minutes }): Slot => {
    if (minutes === undefined) return { at, value: undefined };
    const sums = names.map(
      (name) => [name, sum(minutes.map((one) => count(one)[name] ?? 0))] as const,
    );
    const detail = sums
      .filter(([, value]) => value > 0)
      .map(([name, value]) => `${titleOf(name)} ${formatNumber(value)}`);
    return { at, value: sum(sums.map(([, value]) => value)), detail: detail.join(", ") };
  });
  return renderChart({ ...chart, slots: shown });
}

function total(slots: readonly Minutes[], count: Count, name: string): number {
  return sum(slots.flatMap(({ minutes = [] }) => minutes.map((one) => count(one)[name] ?? 0)));
}

const recordsOf: Count = ({ records }) => records;
const statusesOf: Count = ({ statuses }) => statuses;

function renderRecords(
  types: readonly IntakeType[],
  slots: readonly Minutes[],
  { label }: Period,
): Html {
  const counted = types.filter((type) => type.counted !== "none");
  const names = counted.map(({ resourceType }) => resourceType);
  const isZero = ({ counted: how, resourceType }: IntakeType) =>
    how === "all" && total(slots, recordsOf, resourceType) === 0;
  const columns: readonly Column<IntakeType>[] = [
    ["Record type", ({ resourceType }) => titleOf(resourceType), "head"],
    [
      "Records",
      ({ counted: how, resourceType }) =>
        how === "none"
          ? html`<small>confidential: not counted</small>`
          : html`${formatNumber(total(slots, recordsOf, resourceType))}
            ${how === "partly" && html`<small>without organizations in which they are confidential</small>`}`,
      "number",
    ],
  ];
  return html`<section aria-labelledby="records">
    <h2 id="records">Records stored in ${label}</h2>
    ${renderCounts(slots, recordsOf, { names, label: "Records stored", unit: "records" })}
    ${renderStored({ types, columns, isZero })}
  </section>`;
}

interface Stored {
  readonly types: readonly IntakeType[];
  readonly columns: readonly Column<IntakeType>[];
  readonly isZero: (type: IntakeType) => boolean;
}

function renderStored({ types, columns, isZero }: Stored): Html {
  const [zero, shown] = [types.filter(isZero), types.filter((type) => !isZero(type))];
  const folded = html`<details>
    <summary>Types of which none was stored: ${formatNumber(zero.length)}</summary>
    <p>${zero.map(({ resourceType }) => titleOf(resourceType)).join(", ")}</p>
  </details>`;
  return html`${shown.length > 0 && renderTable(columns, shown, { style: "charts" })}
  ${zero.length > 0 && folded}`;
}

function renderRefusals(slots: readonly Minutes[], { label }: Period): Html {
  const found = slots.flatMap(({ minutes = [] }) =>
    minutes.flatMap((one) => Object.keys(one.statuses)),
  );
  const names = [...new Set(found)].filter((name) => name >= "400").sort();
  const columns: readonly Column<string>[] = [
    ["Status", (status) => status, "head"],
    ["Requests", (status) => formatNumber(total(slots, statusesOf, status)), "number"],
  ];
  return html`<section aria-labelledby="refusals">
    <h2 id="refusals">Refused requests in ${label}</h2>
    ${names.length > 0 && renderCounts(slots, statusesOf, { names, label: "Refused requests", unit: "requests" })}
    ${renderTable(columns, names, { style: "charts", empty: "No request was refused." })}
  </section>`;
}

function renderDurations(
  slots: readonly Minutes[],
  { buckets, label }: { readonly buckets: readonly number[]; readonly label: string },
): Html {
  const add = (parts: readonly IntakeMinute[]) =>
    Array.from({ length: buckets.length + 1 }, (_, index) =>
      sum(parts.map(({ durations }) => durations[index] ?? 0)),
    );
  const longest = buckets.at(-1) ?? 0;
  const shown = slots.map(({ at, minutes = [] }): Slot => {
    const p99 = quantile(add(minutes), buckets, 0.99);
    const value = p99 === undefined ? undefined : Math.ceil(Math.min(p99, longest) * 1_000);
    return { at, value };
  });
  const all = add(slots.flatMap(({ minutes = [] }) => minutes));
  const facts = [0.5, 0.99].map(
    (share) =>
      [
        `${share * 100} % of them took at most`,
        formatSeconds(quantile(all, buckets, share), buckets),
      ] as const,
  );
  return html`<section aria-labelledby="durations">
    <h2 id="durations">Duration of requests in ${label}</h2>
    ${renderFacts(facts)}
    ${renderChart({ slots: shown, label: "99 % took at most", unit: "milliseconds" })}
  </section>`;
}

function sum(values: readonly number[]): number {
  return values.reduce((added, value) => added + value, 0);
}
