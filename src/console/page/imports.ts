// Lists the imports that run, in any process, and the imports of the last weeks.

import { listImports } from "../../actions/intake/track-import.ts";
import { type Html, html } from "../html/html.ts";
import type { Person } from "../request/request.ts";
import { renderFocusableTable } from "../html/table.ts";
import { formatDuration, formatNumber, renderTime } from "../html/time.ts";

type ImportRun = Awaited<ReturnType<typeof listImports>>[number];

/** A running import reports more often than this, unless it has to wait. */
const silentMs = 120_000;

export async function renderImports({ app }: Person): Promise<Html> {
  const imports = await listImports(app);
  const now = app.now();
  return html`<section aria-labelledby="imports">
    <h2 id="imports">Imports</h2>
    ${imports.length === 0 ? noImports : renderRuns(imports, now)}
    <p class="note">
      Imports in the console, and by <code>sluice import</code> into this store. With
      <code>--url</code>, an import is requests of an API key.
    </p>
  </section>`;
}

const noImports = html`<p class="empty">
  Nothing was imported within the last 30 days. Upload a file above, or use
  <code>sluice import</code> on the server.
</p>`;

function renderRuns(imports: readonly ImportRun[], now: number): Html {
  return renderFocusableTable(
    ["Organization", "Records", "Started", "By", "State", "Rows", "Written", "Refused"],
    imports.map((one) => renderRow(one, now)),
  );
}

const sources = { console: "in the console", command: "on the command line" } as const;

function renderRow(one: ImportRun, now: number): Html {
  const { organizationId, resourceType, startedAt, startedBy, source } = one;
  return html`<tr>
    <td data-label="Organization"><bdi>${organizationId}</bdi></td>
    <td data-label="Records">${resourceType}</td>
    <td data-label="Started">${renderTime(startedAt)}</td>
    <td data-label="By"><bdi>${startedBy}</bdi> <small>${sources[source]}</small></td>
    <td data-label="State">${describeState(one, now)}</td>
    <td data-label="Rows">${formatNumber(one.rows)}</td>
    <td data-label="Written">${formatNumber(one.written)}</td>
    <td data-label="Refused">${formatNumber(one.refused)}</td>
  </tr>`;
}

function describeState({ outcome, updatedAt }: ImportRun, now: number): Html {
  if (outcome !== undefined) return html`${outcome}`;
  const silence = now - updatedAt;
  if (silence < silentMs) return html`<strong>running</strong>`;
  return html`running or interrupted <small>no progress for ${formatDuration(silence)}</small>`;
}
