// The health of the service: checks, versions, the intake and figures of this process.

import { type Health, type HealthCheck, readHealth } from "../../actions/upkeep/read-health.ts";
import type { ProcessFigures } from "../../metrics/metrics.ts";
import { renderChip } from "../html/chip.ts";
import {
  type Column,
  html,
  type Html,
  renderFacts,
  renderFigures,
  renderTable,
} from "../html/html.ts";
import type { Next, Person, ProcessFacts } from "../page.ts";
import { renderIntake } from "./intake-charts.ts";
import { formatBytes, formatDuration, formatNumber, renderTime } from "../html/time.ts";
import { sluice } from "../../basics/program-name.ts";

export async function showHealth(person: Person): Promise<Next> {
  const { app, context, sources } = person;
  const health = await readHealth(app, ...sources.panels.map((panel) => panel.health ?? {}));
  const stopping: HealthCheck = {
    name: "The process accepts requests",
    isFine: !context.draining.aborted,
    result: context.draining.aborted ? "It is stopping." : "It is not stopping.",
  };
  const body = html`${renderChecks([stopping, ...health.checks])}
  ${renderVersions(health, sources.process, app.now())} ${renderIntake(person, health.types ?? [])}
  ${renderProcess(sources.process.readFigures())}`;
  return { title: "Health", screen: "/console/health", body };
}

function renderChecks(checks: readonly HealthCheck[]): Html {
  const failed = checks.filter(({ isFine }) => !isFine).length;
  return html`<section aria-labelledby="checks">
    <h2 id="checks">Checks</h2>
    ${
      failed === 0
        ? html`<p>${renderChip("good", "Everything that is checked here is as it should be.")}</p>`
        : html`<p role="alert">${failed} of ${checks.length} fail.</p>`
    }
    ${renderTable(checkColumns, checks, { style: "plain" })}
    <p class="note">
      Checked now, in a bounded number of steps. <code>${sluice} check</code> on the server compares
      everything, also with the ledger.
    </p>
  </section>`;
}

const checkColumns: readonly Column<HealthCheck>[] = [
  ["Check", ({ name }) => name, "head"],
  ["Passed", ({ isFine }) => (isFine ? renderChip("good", "yes") : renderChip("bad", "no"))],
  ["Result", ({ result }) => html`<bdi>${result}</bdi>`],
];

function renderVersions(
  { engine, engineVersion, schemaVersion, lastBackup, storeBytes }: Health,
  { version, node, startedAt }: ProcessFacts,
  now: number,
): Html {
  return html`<section aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    ${renderFacts([
      ["Sluice", version],
      ["Node", node],
      [engine.title, engineVersion ?? "unknown: the store does not answer"],
      [
        "Schema",
        html`migrated to version ${schemaVersion}, the one that this version of Sluice uses`,
      ],
      ["Size of the store", storeBytes === undefined ? "unknown" : formatBytes(storeBytes)],
      ["Running", html`for ${formatDuration(now - startedAt)}, since ${renderTime(startedAt)}`],
      [
        "Last backup",
        lastBackup === undefined
          ? html`none by
              <code>${sluice} backup</code
              >${engine.isServer && `; ${engine.title} has its own tools`}`
          : html`${renderTime(lastBackup.at)} by <bdi>${lastBackup.actor}</bdi>`,
      ],
    ])}
  </section>`;
}

function renderProcess(figures: ProcessFigures): Html {
  const { eventLoopDelayMs, memoryBytes, bodyBytes, connections, refused } = figures;
  return html`<section aria-labelledby="figures">
    <h2 id="figures">This process</h2>
    ${renderFigures([
      ["Delay of the event loop (p99)", `${Math.round(eventLoopDelayMs)} ms`],
      ["Memory of the process", memoryBytes && formatBytes(memoryBytes)],
      ["Memory for bodies of requests", formatBytes(bodyBytes)],
      ["Open connections", formatNumber(connections)],
      ["Refused under pressure", formatNumber(refused)],
    ])}
  </section>`;
}
