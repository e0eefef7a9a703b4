// The health of the service: checks, versions, figures of this process, and its settings without secrets.

import { type Health, type HealthCheck, readHealth } from "../../actions/upkeep/read-health.ts";
import type { Answer } from "../../http/reply/reply.ts";
import type { Snapshot } from "../../metrics/snapshot.ts";
import { pageAnswer } from "../request/answer.ts";
import { type Html, html } from "../html/html.ts";
import { renderPage } from "../frame/layout.ts";
import type { Person, ProcessFacts } from "../request/request.ts";
import { renderFocusableTable } from "../html/table.ts";
import { formatBytes, formatDuration, formatNumber, renderTime } from "../html/time.ts";

export async function showHealth(person: Person): Promise<Answer> {
  const { app, context, sources } = person;
  const health = await readHealth(app);
  const stopping: HealthCheck = {
    name: "The process accepts requests",
    isFine: !context.draining(),
    result: context.draining() ? "It is stopping." : "It is not stopping.",
  };
  const body = html`${renderChecks([stopping, ...health.checks])}
  ${renderVersions(health, sources.process, app.now())}
  ${renderFigures(await sources.process.readMetrics().catch(() => []))}
  ${renderSettings(sources.process.settings)}`;
  return pageAnswer(renderPage({ title: "Health", screen: "/console/health", body }, person));
}

function renderChecks(checks: readonly HealthCheck[]): Html {
  const failed = checks.filter(({ isFine }) => !isFine).length;
  const rows = checks.map(
    ({ name, isFine, result }) =>
      html`<tr>
        <th scope="row">${name}</th>
        <td>${isFine ? "yes" : html`<strong class="health-bad">no</strong>`}</td>
        <td><bdi>${result}</bdi></td>
      </tr>`,
  );
  return html`<section aria-labelledby="checks">
    <h2 id="checks">Checks</h2>
    ${
      failed === 0
        ? html`<p>Everything that is checked here is as it should be.</p>`
        : html`<p role="alert">${failed} of ${checks.length} fail.</p>`
    }
    ${renderFocusableTable(["Check", "Passed", "Result"], rows, "plain")}
    <p class="note">
      Checked now, in a bounded number of steps. <code>sluice check</code> on the server compares
      everything, also with the ledger.
    </p>
  </section>`;
}

function renderVersions(
  { engine, engineVersion, schemaVersion, lastBackup }: Health,
  { version, node, startedAt }: ProcessFacts,
  now: number,
): Html {
  return html`<section aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    <dl class="facts">
      <dt>Sluice</dt>
      <dd>${version}</dd>
      <dt>Node</dt>
      <dd>${node}</dd>
      <dt>${engine.title}</dt>
      <dd>${engineVersion ?? "unknown: the store does not answer"}</dd>
      <dt>Schema</dt>
      <dd>migrated to version ${schemaVersion}, the one that this version of Sluice uses</dd>
      <dt>Running</dt>
      <dd>for ${formatDuration(now - startedAt)}, since ${renderTime(startedAt)}</dd>
      <dt>Last backup</dt>
      <dd>
        ${
          lastBackup === undefined
            ? html`none by <code>sluice backup</code>`
            : html`${renderTime(lastBackup.at)} by <bdi>${lastBackup.actor}</bdi>`
        }
      </dd>
    </dl>
  </section>`;
}

const formatMilliseconds = (seconds: number) => `${Math.round(seconds * 1_000)} ms`;

/** The metrics that say how the process is, and how they are shown. */
const figures: Readonly<Record<string, readonly [string, (value: number) => string]>> = {
  sluice_event_loop_delay_seconds: ["Delay of the event loop (p99)", formatMilliseconds],
  sluice_process_resident_memory_bytes: ["Memory of the process", formatBytes],
  sluice_held_body_bytes: ["Memory for bodies of requests", formatBytes],
  sluice_connections: ["Open connections", formatNumber],
  sluice_load_shed_total: ["Refused under pressure", formatNumber],
};

function renderFigures(snapshot: Snapshot): Html {
  const shown = snapshot.flatMap(({ name, series }) => {
    const [label, format] = figures[name] ?? [];
    if (label === undefined || format === undefined) return [];
    const sum = series.reduce((total, { value }) => total + value, 0);
    return [
      html`<div>
        <dt>${label}</dt>
        <dd>${format(sum)}</dd>
      </div>`,
    ];
  });
  return html`<section aria-labelledby="figures">
    <h2 id="figures">This process</h2>
    <dl class="figures">${shown}</dl>
  </section>`;
}

function renderSettings(settings: ProcessFacts["settings"]): Html {
  const rows = settings.map(
    ({ name, value, isDefault, summary }) =>
      html`<tr>
        <th scope="row"><code>${name}</code></th>
        <td data-label="Value"><bdi>${value}</bdi></td>
        <td data-label="From">${isDefault ? "default" : "set"}</td>
        <td data-label="Meaning">${summary.replaceAll("`", "")}</td>
      </tr>`,
  );
  return html`<section aria-labelledby="settings">
    <h2 id="settings">Settings of this process</h2>
    ${renderFocusableTable(["Setting", "Value", "From", "Meaning"], rows)}
    <p class="note">Settings are environment variables, read when the process starts.</p>
  </section>`;
}
