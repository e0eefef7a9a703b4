// The report of erasures by the days on which they were completed: as a page to print, and as a CSV file.

import { Readable } from "node:stream";
import {
  downloadErasures,
  type Erasure,
  type ErasureQuery,
  type ErasureReport,
  reportErasures,
} from "../../actions/deletion/list-deletions.ts";
import { dateOf, dayMs, hourMs } from "../../basics/duration.ts";
import { protectFormula, writeRow } from "../../basics/csv-row.ts";
import { describeBasis } from "../../domain/deletion/basis.ts";
import { requesterOf } from "../../domain/deletion/deletion.ts";
import { titleOf } from "../../domain/record-types.ts";
import {
  fieldsOf,
  type Form,
  notValid,
  readDate,
  readText,
  renderHidden,
  renderInput,
} from "../html/field.ts";
import {
  onlyOrganization,
  organizationColumn,
  renderOrganizationInput,
  withOrganization,
} from "../html/filter.ts";
import { type Column, html, type Html, renderFacts, renderTable } from "../html/html.ts";
import { renderChart, type Slot } from "../html/chart.ts";
import { renderDeletionOf } from "../html/link.ts";
import { renderActor, renderOrganization } from "../html/party.ts";
import { formatCounts, formatDuration, formatNumber, renderExactTime } from "../html/time.ts";
import type { Next, Person } from "../page.ts";
import { sendFile } from "../request/download.ts";

const screen = "/console/erasures";
const shownMax = 100;

export async function showErasures(person: Person): Promise<Next> {
  const form = withOrganization(person);
  const query = readQuery(form);
  const report = await reportErasures(person.app, query);
  const body = html`<form class="filters screen" method="get" action="${screen}">
      ${renderOrganizationInput(form)}
      ${renderInput("Completed from", "from", { type: "date", value: form.get("from") })}
      ${renderInput("Until and with", "until", { type: "date", value: form.get("until") })}
      <button type="submit">Show</button>
    </form>
    <form class="screen" method="post" action="${screen}/download">
      ${renderHidden(fieldsOf(form, ["organization", "from", "until"]))}
      <button type="submit">Download all as CSV</button>
    </form>
    <p class="note screen">
      The browser prints this page. That you downloaded the file is in the audit trail.
    </p>
    ${renderSummary(form, query, report)} ${renderWeeks(report, query, person.app.now())}
    ${renderList(report)}`;
  return { title: "Erasures", screen, body };
}

/** The days are in UTC. Throws OperatorError invalid. */
function readQuery(form: Form): ErasureQuery {
  const from = readDate(form, "from", "The first day");
  const last = readDate(form, "until", "The last day");
  const until = last === undefined ? undefined : last + dayMs;
  if (from !== undefined && until !== undefined && from >= until) {
    throw notValid("The last day", "the first day or a later one", "until");
  }
  return { organizationId: readText(form, "organization"), from, until };
}

function renderSummary(
  form: Form,
  { organizationId }: ErasureQuery,
  { erasures, isComplete }: ErasureReport,
): Html {
  const only = onlyOrganization(erasures, ownerOf);
  const all = html`all${only !== undefined && html`; these are of ${renderOrganization(only)}`}`;
  const [from, until] = ["from", "until"].map((name) => readText(form, name));
  const total: Record<string, number> = {};
  for (const [type, count = 0] of erasures.flatMap(({ erased }) => Object.entries(erased))) {
    total[type] = (total[type] ?? 0) + count;
  }
  const atLeast = (text: string) => `${isComplete ? "" : "at least "}${text}`;
  const days = [from && `from ${from}`, until && `until ${until}`].filter(Boolean).join(" ");
  return html`${renderFacts([
    ["Organization", organizationId === undefined ? all : renderOrganization(organizationId)],
    ["Completed", days === "" ? "at any time" : `${days} (UTC)`],
    ["Deletions", atLeast(formatNumber(erasures.length))],
    ["Records erased", atLeast(formatCounts(total) || "none")],
  ])}
  ${!isComplete && html`<p role="alert">There are more than a page reads; the file has all of them.</p>`}`;
}

const weekMs = 7 * dayMs;
const weeksShown = 24;

/**
 * The weeks before the end of the period, each of whole days, with how long the deletions completed in it took. If not
 * all were read, the others were requested before these, and may have been completed in any week.
 */
function renderWeeks(report: ErasureReport, query: ErasureQuery, now: number): Html | false {
  const { erasures, isComplete } = report;
  if (erasures.length === 0) return false;
  const end = Math.min(Math.floor(now / dayMs) * dayMs + dayMs, query.until ?? Infinity);
  const counted = isComplete ? 0 : (erasures.at(-1)?.deletion.requestedAt ?? 0);
  const slots = Array.from({ length: weeksShown }, (_, index): Slot => {
    const at = end - (weeksShown - index) * weekMs;
    const took = erasures
      .map(({ deletion: { requestedAt, completedAt = 0 } }) => [completedAt, requestedAt] as const)
      .filter(([completedAt]) => completedAt >= at && completedAt < at + weekMs)
      .map(([completedAt, requestedAt]) => completedAt - requestedAt)
      .sort((one, other) => one - other);
    const half = took[Math.floor((took.length - 1) / 2)];
    return {
      at,
      value: at + weekMs <= counted ? undefined : took.length,
      detail: half === undefined ? undefined : formatLonger(half),
    };
  });
  return html`<section aria-labelledby="weeks">
    <h2 id="weeks">Deletions completed, by week</h2>
    ${renderChart({
      label: "Deletions completed, by week",
      unit: isComplete ? "deletions a week" : "deletions a week, at least",
      slots,
      isByDay: true,
      details: "Half of them took less than",
      end: query.until === undefined || query.until > now ? "now" : dateOf(query.until - dayMs),
    })}
  </section>`;
}

/** The next longer duration in whole units. */
function formatLonger(milliseconds: number): string {
  const unit = [dayMs, hourMs, 60_000].find((size) => milliseconds >= size) ?? 1_000;
  return formatDuration((Math.floor(milliseconds / unit) + 1) * unit);
}

const ownerOf = ({ deletion }: Erasure) => deletion.organizationId;

function renderList({ erasures, isComplete }: ErasureReport): Html {
  const left = erasures.length - shownMax;
  const columns = columnsOf(onlyOrganization(erasures, ownerOf));
  return html`${renderTable(columns, erasures.slice(0, shownMax), { style: "cards report", empty: "No deletion was completed then." })}
  ${left > 0 && html`<p>And ${isComplete ? "" : "at least "}${formatNumber(left)} more, which the file has.</p>`}`;
}

const columnsOf = (only: string | undefined): readonly Column<Erasure>[] => [
  ["Record", ({ deletion }) => renderDeletionOf(deletion), "bare"],
  ...organizationColumn(only, ownerOf),
  ["Requested by", ({ deletion }) => renderActor(requesterOf(deletion))],
  ["Approved by", ({ deletion }) => html`<bdi>${deletion.approval?.approvedBy ?? "–"}</bdi>`],
  ["Basis", ({ deletion }) => describeBasis(deletion.basis)],
  ["Completed", ({ deletion }) => renderExactTime(deletion.completedAt)],
  ["Erased", ({ erased }) => formatCounts(erased) || "nothing"],
];

const cells: readonly (readonly [string, (erasure: Erasure) => string | undefined])[] = [
  ["deletion_request_id", ({ deletion }) => deletion.deletionRequestId],
  ["organization_id", ({ deletion }) => deletion.organizationId],
  ["record_type", ({ deletion }) => titleOf(deletion.resourceType)],
  ["record_id", ({ deletion }) => deletion.resourceId],
  ["requested_by", ({ deletion }) => requesterOf(deletion)],
  ["requested_at", ({ deletion }) => isoOf(deletion.requestedAt)],
  ["reason", ({ deletion }) => deletion.reason],
  ["basis", ({ deletion }) => describeBasis(deletion.basis)],
  ["approved_by", ({ deletion }) => deletion.approval?.approvedBy],
  ["approved_at", ({ deletion }) => isoOf(deletion.approval?.approvedAt)],
  ["completed_at", ({ deletion }) => isoOf(deletion.completedAt)],
  ["erased", ({ erased }) => formatCounts(erased)],
];

function isoOf(unixMs: number | undefined): string | undefined {
  return unixMs === undefined ? undefined : new Date(unixMs).toISOString();
}

export async function downloadReport(person: Person, form: URLSearchParams): Promise<undefined> {
  const pages = await downloadErasures(person.app, readQuery(form));
  return sendFile(person, "erasures.csv", () => Readable.from(toCsv(pages)));
}

async function* toCsv(pages: AsyncIterable<readonly Erasure[]>): AsyncGenerator<string> {
  yield writeRow(cells.map(([name]) => name));
  for await (const page of pages) {
    const rows = page.map((one) =>
      writeRow(cells.map(([, read]) => protectFormula(read(one) ?? ""))),
    );
    if (rows.length > 0) yield rows.join("");
  }
}
