// The report of erasures by the days on which they were completed: as a page to print, and as a CSV file.

import { Readable } from "node:stream";
import {
  downloadErasures,
  type Erasure,
  type ErasureQuery,
  type ErasureReport,
  reportErasures,
} from "../../actions/deletion/report-erasures.ts";
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
import { organizationColumn, renderOrganizationInput, withOrganization } from "../html/filter.ts";
import { type Column, html, type Html, renderFacts, renderTable } from "../html/html.ts";
import { renderChart } from "../html/chart.ts";
import { renderDeletionOf } from "../html/link.ts";
import { renderActor, renderOrganization } from "../html/party.ts";
import { formatCounts, formatDuration, formatNumber, renderExactTime } from "../html/time.ts";
import type { Next, Person } from "../page.ts";
import { sendFile } from "../request/download.ts";

const screen = "/console/erasures";

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
  { deletions, erased, organizations, countedFrom }: ErasureReport,
): Html {
  const [only, ...others] = organizations;
  const isOne = only !== undefined && others.length === 0;
  const all = html`all${isOne && html`; these are of ${renderOrganization(only)}`}`;
  const [from, until] = ["from", "until"].map((name) => readText(form, name));
  const atLeast = (text: string) => `${countedFrom === undefined ? "" : "at least "}${text}`;
  const days = [from && `from ${from}`, until && `until ${until}`].filter(Boolean).join(" ");
  return html`${renderFacts([
    ["Organization", organizationId === undefined ? all : renderOrganization(organizationId)],
    ["Completed", days === "" ? "at any time" : `${days} (UTC)`],
    ["Deletions", atLeast(formatNumber(deletions))],
    ["Records erased", atLeast(formatCounts(erased) || "none")],
  ])}
  ${
    countedFrom !== undefined &&
    html`<p role="alert">
      There are more deletions than a page counts: these are of requests since
      ${dateOf(countedFrom)}. The file has all of them.
    </p>`
  }`;
}

/** If not all were counted, the others were requested before these, and may have been completed in any week. */
function renderWeeks(
  { deletions, weeks, countedFrom }: ErasureReport,
  { until = Infinity }: ErasureQuery,
  now: number,
): Html | false {
  if (deletions === 0) return false;
  return html`<section aria-labelledby="weeks">
    <h2 id="weeks">Deletions completed, by week</h2>
    ${renderChart({
      label: "Deletions completed, by week",
      unit: countedFrom === undefined ? "deletions a week" : "deletions a week, at least",
      slots: weeks.map(({ at, deletions: value, half }) => ({
        at,
        value: value === 0 && at < (countedFrom ?? 0) ? undefined : value,
        detail: half === undefined ? undefined : formatLonger(half),
      })),
      isByDay: true,
      details: "Half of them took less than",
      end: until > now ? "now" : dateOf(until - dayMs),
    })}
  </section>`;
}

/** The next longer duration in whole units. */
function formatLonger(milliseconds: number): string {
  const unit = [dayMs, hourMs, 60_000].find((size) => milliseconds >= size) ?? 1_000;
  return formatDuration((Math.floor(milliseconds / unit) + 1) * unit);
}

function renderList({ deletions, shown, organizations, countedFrom }: ErasureReport): Html {
  const left = deletions - shown.length;
  const columns = columnsOf(organizations.length === 1 ? organizations[0] : undefined);
  return html`${renderTable(columns, shown, { style: "cards report", empty: "No deletion was completed then." })}
  ${left > 0 && html`<p>And ${countedFrom !== undefined && "at least "}${formatNumber(left)} more, which the file has.</p>`}`;
}

const columnsOf = (only: string | undefined): readonly Column<Erasure>[] => [
  ["Record", ({ deletion }) => renderDeletionOf(deletion), "bare"],
  ...organizationColumn<Erasure>(only, ({ deletion }) => deletion.organizationId),
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
