// What imports show on the intake page: those of all processes that run, and those of the last weeks.

import { renderChip } from "../../console/html/chip.ts";
import { html, type Html, renderTable } from "../../console/html/html.ts";
import { renderOrganization } from "../../console/html/party.ts";
import { formatDuration, formatNumber, renderAgo } from "../../console/html/time.ts";
import type { Panels, Person } from "../../console/page.ts";
import { titleOf } from "../../domain/record-types.ts";
import { listImports } from "./imports.ts";
import type { ImportRun } from "./store/import-run.ts";
import { sluice } from "../../basics/program-name.ts";

export const panels: Panels = { intake: renderImports };

/** A running import reports more often than this, unless it has to wait. */
const silentMs = 120_000;

async function renderImports({ app }: Person): Promise<Html> {
  const now = app.now();
  return html`<section aria-labelledby="imports">
    <h2 id="imports">Imports</h2>
    ${renderTable<ImportRun>(
      [
        ["Organization", ({ organizationId }) => renderOrganization(organizationId)],
        ["Records", ({ resourceType }) => titleOf(resourceType)],
        ["Started", ({ startedAt }) => renderAgo(startedAt)],
        ["By", renderStarter],
        ["State", (one) => describeState(one, now)],
        ["Rows", ({ rows }) => formatNumber(rows)],
        ["Written", ({ written }) => formatNumber(written)],
        ["Refused", ({ refused }) => formatNumber(refused)],
      ],
      await listImports(app),
      { empty: noImports },
    )}
    <p class="note">
      Imports in the console, and by <code>${sluice} import</code> into this store. With
      <code>--url</code>, an import is requests of an API key.
    </p>
  </section>`;
}

const noImports = html`Nothing was imported within the last 30 days. On the server,
  <code>${sluice} import</code> imports files.`;

const startedFrom = { console: "in the console", command: "on the command line" } as const;

function renderStarter({ startedBy, source }: ImportRun): Html {
  return html`<bdi>${startedBy}</bdi> <small>${startedFrom[source]}</small>`;
}

function describeState({ outcome, updatedAt }: ImportRun, now: number): Html {
  if (outcome !== undefined) return html`${outcome}`;
  const silence = now - updatedAt;
  if (silence < silentMs) return renderChip("busy", "running");
  return html`running or interrupted <small>no progress for ${formatDuration(silence)}</small>`;
}
