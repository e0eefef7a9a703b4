// The overview: the intake of this process, the open deletions, and the state of the store.

import {
  deletionsCountedMax,
  type IntakeType,
  type Overview,
  readOverview,
} from "../../actions/upkeep/read-overview.ts";
import type { Answer } from "../../http/reply/reply.ts";
import type { IntakeMinute } from "../../metrics/history.ts";
import { renderBars } from "../html/chart.ts";
import {
  type Html,
  html,
  type HtmlValue,
  renderElement,
  type Column,
  renderFocusableTable,
} from "../html/html.ts";
import { showPage, type Person } from "../page.ts";
import { formatSeconds, quantile } from "../html/quantile.ts";
import { formatBytes, formatDuration, formatNumber, renderTime } from "../html/time.ts";

interface Period {
  readonly name: string;
  readonly label: string;
  readonly slots: number;
  readonly minutesOfSlot: number;
}

const hour: Period = { name: "hour", label: "the last hour", slots: 60, minutesOfSlot: 1 };
const day: Period = { name: "day", label: "the last 24 hours", slots: 48, minutesOfSlot: 30 };

export async function showOverview(person: Person): Promise<Answer> {
  const { app, query, sources } = person;
  const overview = await readOverview(app);
  const period = query.get("period") === day.name ? day : hour;
  const { minutes, buckets } = sources.history.read();
  const slots = toSlots(minutes, period);
  const body = html`${overview.organizations === 0 && firstSteps}
    ${renderState(overview, app.now())} ${renderPeriods(period)}
    ${renderRecords(overview.types, slots, period)} ${renderRefusals(slots, period)}
    ${renderDurations(slots, { buckets, period })}
    <p class="note">
      Counted by this process since its start at most a day ago; other processes of the same store
      count their own. Deletions of
      ${!overview.countsConfidential && "confidential records, of closed organizations and of "}
      restricted sets are not counted.
    </p>`;
  return showPage(person, { title: "Overview", screen: "/console", body });
}

const firstSteps = html`<section class="empty">
  <h2>Nothing is here yet</h2>
  <p>First create an organization and a key for it, on the server:</p>
  <pre><code>sluice organization create --name "Acme Payments" --id acme
sluice key create --organization acme</code></pre>
</section>`;

function renderState({ queue, storeBytes, engine, lastBackup }: Overview, now: number): Html {
  const { open, overdue, oldestDueAt, awaitingApproval } = queue;
  const unapproved =
    awaitingApproval > 0 &&
    html` <small
      ><a href="/console/deletions?wait=approval"
        >${formatCount(awaitingApproval)} wait for an approval</a
      ></small
    >`;
  const oldest =
    oldestDueAt === undefined
      ? "none"
      : html`the oldest was due ${formatDuration(Math.max(0, now - oldestDueAt))} ago`;
  const backup =
    lastBackup === undefined
      ? html`none by
          <code>sluice backup</code>${engine.isServer && `; ${engine.title} has its own tools`}`
      : html`${renderTime(lastBackup.at)} by <bdi>${lastBackup.actor}</bdi>`;
  return html`<dl class="figures">
    <div>
      <dt>Open deletions</dt>
      <dd>${formatCount(open)}${unapproved}</dd>
    </div>
    <div class="${overdue > 0 ? "warn" : "fine"}">
      <dt>Overdue deletions</dt>
      <dd>${formatCount(overdue)} <small>${overdue > 0 && oldest}</small></dd>
    </div>
    ${
      storeBytes !== undefined &&
      html`<div>
        <dt>Size of the store</dt>
        <dd>${formatBytes(storeBytes)} <small>${engine.title}</small></dd>
      </div>`
    }
    <div class="${lastBackup === undefined ? "warn" : "fine"}">
      <dt>Last backup</dt>
      <dd>${backup}</dd>
    </div>
  </dl>`;
}

function formatCount(count: number): string {
  return count >= deletionsCountedMax ? `${formatNumber(count)} or more` : formatNumber(count);
}

function renderPeriods(current: Period): Html {
  const links = [hour, day].map(({ name, label }) => {
    const attributes = {
      href: `/console?period=${name}`,
      "aria-current": name === current.name && "true",
    };
    return html`<li>${renderElement("a", attributes, label)}</li>`;
  });
  return html`<nav class="tabs" aria-label="Period">
    <ul>
      ${links}
    </ul>
  </nav>`;
}

/** The oldest first; slots before the start of the process are empty. */
function toSlots(minutes: readonly IntakeMinute[], period: Period): readonly IntakeMinute[][] {
  const { slots, minutesOfSlot } = period;
  const shown = minutes.slice(-slots * minutesOfSlot);
  return Array.from({ length: slots }, (_, slot) => {
    const end = shown.length - (slots - 1 - slot) * minutesOfSlot;
    return shown.slice(Math.max(0, end - minutesOfSlot), Math.max(0, end));
  });
}

function renderRecords(
  types: readonly IntakeType[],
  slots: readonly IntakeMinute[][],
  period: Period,
): Html {
  const rows = types.map(({ resourceType: type, counted }): ChartRow => {
    if (counted === "none") {
      return { name: type, shown: "Confidential records are not counted.", figure: "unknown" };
    }
    const values = slots.map((slot) => sum(slot.map(({ records }) => records[type] ?? 0)));
    const bounds = "without organizations in which they are confidential";
    const name = counted === "partly" ? html`${type} <small>${bounds}</small>` : type;
    return sumOf(name, values, `${type}, records stored in ${period.label}`);
  });
  return html`<section aria-labelledby="records">
    <h2 id="records">Records stored in ${period.label}</h2>
    ${renderCharts(["Record type", "Records"], rows)}
  </section>`;
}

function renderRefusals(slots: readonly IntakeMinute[][], period: Period): Html {
  const statuses = new Set(
    slots.flat().flatMap((minute) => Object.keys(minute.statuses).filter((name) => name >= "400")),
  );
  const rows = [...statuses].sort().map((status) => {
    const values = slots.map((slot) => sum(slot.map((minute) => minute.statuses[status] ?? 0)));
    return sumOf(status, values, `requests answered ${status} in ${period.label}`);
  });
  const table =
    rows.length === 0
      ? html`<p class="empty">No request was refused.</p>`
      : renderCharts(["Status", "Requests"], rows);
  return html`<section aria-labelledby="refusals">
    <h2 id="refusals">Refused requests</h2>
    ${table}
  </section>`;
}

function renderDurations(
  slots: readonly IntakeMinute[][],
  { buckets, period }: { readonly buckets: readonly number[]; readonly period: Period },
): Html {
  const add = (parts: readonly IntakeMinute[]) =>
    Array.from({ length: buckets.length + 1 }, (_, index) =>
      sum(parts.map(({ durations }) => durations[index] ?? 0)),
    );
  const longest = buckets.at(-1) ?? 0;
  const values = slots.map((slot) =>
    Math.ceil(Math.min(quantile(add(slot), buckets, 0.99) ?? 0, longest) * 1_000),
  );
  const all = add(slots.flat());
  const rows = [0.5, 0.99].map((share): ChartRow => {
    const figure = formatSeconds(quantile(all, buckets, share), buckets);
    const shown =
      share === 0.99 && renderBars({ values, label: `p99 in milliseconds in ${period.label}` });
    return { name: `p${share * 100}`, shown, figure };
  });
  return html`<section aria-labelledby="durations">
    <h2 id="durations">Duration of requests</h2>
    ${renderCharts(["Share", "At most"], rows)}
  </section>`;
}

interface ChartRow {
  readonly name: HtmlValue;
  readonly shown: HtmlValue;
  readonly figure: string;
}

function sumOf(name: HtmlValue, values: readonly number[], label: string): ChartRow {
  return { name, shown: renderBars({ values, label }), figure: formatNumber(sum(values)) };
}

function renderCharts([name, figure]: readonly [string, string], rows: readonly ChartRow[]): Html {
  const columns: readonly Column<ChartRow>[] = [
    [name, (row) => row.name, "head"],
    ["Over time", ({ shown }) => shown],
    [figure, (row) => row.figure, "number"],
  ];
  return renderFocusableTable(columns, rows, "charts");
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
