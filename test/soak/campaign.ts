// Runs a server under a mixed load for a long time, and prints a line for each minute: memory, size of the store, WAL
// and latencies. Finds what does not stay flat, and what was acknowledged and is missing at the end. Beside the load
// followers read the feed, an endpoint is notified of every deletion, and the records of one organization expire.

import { openSite, type Site } from "../abuse/site.ts";
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
const postgresSettings = {
  max_connections: "200",
  max_wal_size: "256MB",
  checkpoint_timeout: "30s",
};
const environment = { WEBHOOK_NETWORKS: "127.0.0.1" };
const deletionEvents = ["sluice.deletion.requested", "sluice.deletion.completed"];
const heading =
  "minute  requests  timeouts  p50 ms  p99 ms  resident MB  store MB  WAL MB  files  deletions";
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
  const site = await openSite(engine, { settings: postgresSettings, environment });
  closing.defer(() => site.close());
  const around = await Around.open(site);
  closing.defer(() => around.close());
  const traffic = new Traffic(site, { random: makeRandom(seed), folder, rowsOfImport });
  const rows: SoakRow[] = [];
  const failures: string[] = [];
  let requests = 0;
  tell(heading);
  for (const isOver = makeLimit(run); !isOver(rows.length);) {
    const part = rows.length;
    const load = [traffic.run(part, rowMs), around.expiry.run(part)];
    const [samples] = await Promise.all([sample(site, rowMs), ...load]);
    const report = (await site.good.ask("endPhase")) as PhaseReport;
    const row = { ...samples, p99Ms: report.all.p99Ms };
    rows.push(row);
    requests += report.all.count;
    failures.push(...report.failures);
    tell(lineOf(rows.length, { row, report, deletions: traffic.counts.deletions }));
  }
  const { lines, findings } = evaluateSoak(rows, walBytesOf[engine]);
  for (const line of lines) tell(line);
  const missing = [...(await missingOf(site)), ...(await traffic.verify())];
  const left = await around.verify(traffic);
  return {
    figures: { minutes: rows.length, requests, ...traffic.counts, ...around.counts },
    findings: [...findings, ...failures, ...missing, ...left, ...loggedErrors(site)],
  };
}

/** What follows the organization of the load, and what expires in another one. */
class Around {
  readonly followers: Followers;
  readonly endpoint: Endpoint;
  readonly expiry: Expiry;

  private constructor(site: Site, endpoint: Endpoint, expiry: Expiry) {
    this.followers = new Followers(site.target);
    this.endpoint = endpoint;
    this.expiry = expiry;
  }

  static async open(site: Site): Promise<Around> {
    const endpoint = new Endpoint();
    const body = { url: await endpoint.listen(), events: deletionEvents };
    const { token } = site.target;
    const ask = { method: "POST", path: "/v2/webhook_endpoint", token, body };
    const { status, text } = await site.server.client.send(ask);
    if (status !== 201) throw new Error(`${status} ${text}`);
    return new Around(site, endpoint, await Expiry.open(site));
  }

  get counts(): Pick<Figures, "events" | "messages"> {
    return { events: this.followers.events, messages: this.endpoint.messages };
  }

  async verify(traffic: Traffic): Promise<readonly string[]> {
    const findings = await this.followers.end((id) => traffic.add(id));
    const told = await this.endpoint.verify(...traffic.requested);
    await this.expiry.verify();
    return [...findings, ...told];
  }

  async close(): Promise<void> {
    await this.followers.stop();
    this.endpoint.close();
  }
}

async function missingOf({ good }: Site): Promise<readonly string[]> {
  const { missing } = (await good.ask("stop")) as { readonly missing: readonly string[] };
  return missing.map((id) => `acknowledged and not there: ${id}`);
}

function lineOf(
  minute: number,
  { row, report, deletions }: { row: SoakRow; report: PhaseReport; deletions: number },
): string {
  const { all, timeouts } = report;
  const { residentBytes, storeBytes, walBytes } = row;
  const [resident, store, wal] = [residentBytes, storeBytes, walBytes].map((bytes) =>
    (bytes / megabyte).toFixed(1),
  );
  return [
    `${minute}`.padStart(6),
    `${all.count}`.padStart(8),
    `${timeouts}`.padStart(8),
    all.p50Ms.toFixed(1).padStart(6),
    all.p99Ms.toFixed(1).padStart(6),
    (resident ?? "").padStart(11),
    (store ?? "").padStart(8),
    (wal ?? "").padStart(6),
    `${row.openFiles}`.padStart(5),
    `${deletions}`.padStart(9),
  ].join("  ");
}
