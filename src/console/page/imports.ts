// Lists the imports that run, in any process, and the imports of the last weeks.

import { listImports } from "../../actions/intake/imports.ts";
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
    [
      ["Organization", ({ organizationId }) => html`<bdi>${organizationId}</bdi>`],
      ["Records", ({ resourceType }) => resourceType],
      ["Started", ({ startedAt }) => renderTime(startedAt)],
      ["By", renderStarter],
      ["State", (one) => describeState(one, now)],
      ["Rows", ({ rows }) => formatNumber(rows)],
      ["Written", ({ written }) => formatNumber(written)],
      ["Refused", ({ refused }) => formatNumber(refused)],
    ],
    imports,
  );
}

const sources = { console: "in the console", command: "on the command line" } as const;

function renderStarter({ startedBy, source }: ImportRun): Html {
  return html`<bdi>${startedBy}</bdi> <small>${sources[source]}</small>`;
}

function describeState({ outcome, updatedAt }: ImportRun, now: number): Html {
  if (outcome !== undefined) return html`${outcome}`;
  const silence = now - updatedAt;
  if (silence < silentMs) return html`<strong>running</strong>`;
  return html`running or interrupted <small>no progress for ${formatDuration(silence)}</small>`;
}
