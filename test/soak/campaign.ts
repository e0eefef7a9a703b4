// Runs a server under a mixed load for a long time, and prints a line for each minute: memory, size of the store, WAL
// and latencies. Finds what does not stay flat, and what was acknowledged and is missing at the end. Beside the load
// followers read the feed, an endpoint is notified of every deletion, and the records of one organization expire.

import { openSite } from "../abuse/site.ts";
import type { PhaseReport } from "../abuse/good-client.ts";
import { loggedErrors } from "../abuse/run-abuse.ts";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../campaign/campaign.ts";
import { makeRandom } from "../support/random.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { Endpoint } from "./endpoint.ts";
import { Expiry } from "./expiry.ts";
import { evaluateSoak, megabyte, sample, type SoakRow } from "./figures.ts";
import { Followers } from "./followers.ts";
import { Traffic } from "./traffic.ts";

/** Small enough that a WAL reaches its size within the first minutes. */
const settings = { max_connections: "200", max_wal_size: "256MB", checkpoint_timeout: "30s" };
const environment = { WEBHOOK_NETWORKS: "127.0.0.1" };
/** What is configured, and what may be written while a checkpoint is in progress. */
const walBytesOf = { sqlite: 128 * megabyte, postgres: 384 * megabyte };

interface Figures {
  readonly minutes: number;
  readonly requests: number;
  readonly deletions: number;
  readonly persons: number;
  readonly rows: number;
  /** That followers have read. */
  readonly events: number;
  /** That the endpoint was sent. */
  readonly messages: number;
}

interface SoakSize {
  /** How long a row of the table takes. */
  readonly rowMs: number;
  readonly rowsOfImport: number;
}

export const soak: Campaign<Figures> = {
  about:
    "mixed load for a long time: whether memory, files, time and more stay flat and nothing is lost",
  counts: "minutes",
  countDefault: 60,
  engines: ["sqlite", "postgres"],
  run: (run) => runSoak(run, { rowMs: 60_000, rowsOfImport: 5_000 }),
};

export async function runSoak(
  run: CampaignRun,
  { rowMs, rowsOfImport }: SoakSize,
): Promise<CampaignOutcome<Figures>> {
  const { engine, seed, tell } = run;
  await using closing = new AsyncDisposableStack();
  const folder = makeTempFolder();
  closing.defer(() => removeFolder(folder));
  const site = await openSite(engine, { settings, environment });
  closing.defer(() => site.close());
  const endpoint = new Endpoint();
  closing.defer(() => endpoint.close());
  await endpoint.register(site);
  const expiry = await Expiry.open(site);
  const followers = new Followers(site.target);
  closing.defer(() => followers.stop());
  const traffic = new Traffic(site, { random: makeRandom(seed), folder, rowsOfImport });
  const load = (part: number) => Promise.all([traffic.run(part, rowMs), expiry.run(part)]);
  const findings: string[] = [];
  const rows: SoakRow[] = [];
  let requests = 0;
  tell(render(columns));
  for (const isOver = makeLimit(run); !isOver(rows.length);) {
    const [samples] = await Promise.all([sample(site, rowMs), load(rows.length)]);
    const report = (await site.good.ask("endPhase")) as PhaseReport;
    const row = { ...samples, p99Ms: report.all.p99Ms, bareP99Ms: report.bare.p99Ms };
    rows.push(row);
    requests += report.all.count;
    findings.push(...report.failures);
    tell(
      render(cellsOf(row, { minute: rows.length, report, deletions: traffic.counts.deletions })),
    );
  }
  const { lines, findings: grown } = evaluateSoak(rows, walBytesOf[engine]);
  for (const line of lines) tell(line);
  const { missing } = (await site.good.ask("stop")) as { readonly missing: readonly string[] };
  findings.push(...grown, ...missing.map((id) => `acknowledged and not there: ${id}`));
  findings.push(...(await traffic.verify()));
  findings.push(...(await followers.end((id) => traffic.add(id))));
  findings.push(...(await endpoint.verify(traffic.requested)));
  await expiry.verify();
  const around = { events: followers.events, messages: endpoint.messages };
  return {
    figures: { minutes: rows.length, requests, ...traffic.counts, ...around },
    findings: [...findings, ...loggedErrors(site)],
  };
}

const columns = [
  "minute",
  "requests",
  "timeouts",
  "p50 ms",
  "p99 ms",
  "bare p99",
  "resident MB",
  "store MB",
  "WAL MB",
  "files",
  "deletions",
];

function cellsOf(
  { residentBytes, storeBytes, walBytes, openFiles }: SoakRow,
  { minute, report, deletions }: { minute: number; report: PhaseReport; deletions: number },
): readonly (string | number)[] {
  const { all, bare, timeouts } = report;
  const sizes = [residentBytes, storeBytes, walBytes].map((bytes) => bytes / megabyte);
  const figures = [all.p50Ms, all.p99Ms, bare.p99Ms, ...sizes].map((figure) => figure.toFixed(1));
  return [minute, all.count, timeouts, ...figures, openFiles, deletions];
}

function render(cells: readonly (string | number)[]): string {
  return cells.map((cell, at) => `${cell}`.padStart(columns[at]?.length ?? 0)).join("  ");
}
