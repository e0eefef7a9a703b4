// Crashes a server repeatedly, and stops at the first round in which anything was found.

import { makeRandom } from "../support/random.ts";
import { removeFolder } from "../support/temp-folder.ts";
import { type LoadKind, loadKinds } from "./load.ts";
import { type RoundFigures, runRound } from "./round.ts";
import { type RunningServer, makeSite, type Site, startOn } from "./site.ts";

export interface CrashOptions {
  readonly seed: number;
  readonly killsMax: number;
  readonly budgetMs: number;
  readonly onRound?: (line: string) => void;
}

export interface CrashReport extends RoundFigures {
  /** Empty if nothing is wrong. */
  readonly findings: readonly string[];
  stores: number;
  records: number;
  changes: number;
  deletions: number;
}

/** So that a long campaign also covers young stores, and a check stays fast. */
const killsPerStore = 20;

export async function runCrashCampaign(options: CrashOptions): Promise<CrashReport> {
  const until = performance.now() + options.budgetMs;
  const findings: string[] = [];
  const report: CrashReport = { ...noFigures(), findings };
  while (report.kills < options.killsMax && performance.now() < until && findings.length === 0) {
    report.stores += 1;
    const site = await makeSite(options.seed + report.stores);
    const roundsMax = Math.min(killsPerStore, options.killsMax - report.kills);
    let server = await startOn(site);
    try {
      for (let round = 0; round < roundsMax && performance.now() < until; round += 1) {
        server = await oneRound(site, server, { options, report });
        if (site.ledger.findings.length > 0) break;
      }
    } catch (error) {
      site.ledger.findings.push(
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
    } finally {
      await endSite(site, server, report);
      findings.push(...site.ledger.findings);
    }
  }
  return report;
}

async function oneRound(
  site: Site,
  server: RunningServer,
  { options, report }: { options: CrashOptions; report: CrashReport },
): Promise<RunningServer> {
  const random = makeRandom(options.seed * 1_000 + report.kills);
  const kind: LoadKind = loadKinds[report.kills % loadKinds.length] ?? "mixed";
  const startedAt = performance.now();
  // Alternately, for each kind of load.
  const beside = Math.floor(report.kills / loadKinds.length) % 2 === 1;
  const next = await runRound(site, server, { kind, random, figures: report, beside });
  const ms = Math.round(performance.now() - startedAt);
  options.onRound?.(
    `kill ${report.kills} (${kind}, ${ms} ms): ${site.ledger.records.size} records known, ` +
      `${site.ledger.findings.length} findings`,
  );
  return next;
}

async function endSite(site: Site, server: RunningServer, report: CrashReport): Promise<void> {
  const { ledger } = site;
  for (const { changes } of ledger.records.values()) {
    report.changes += changes.filter(({ standing }) => standing !== "absent").length;
  }
  report.records += ledger.records.size;
  report.deletions += ledger.deletions.length;
  for (const { client } of site.senders) client.close();
  const end = await server.process.end("SIGTERM");
  if (end !== 0) ledger.findings.push(`after the last check, SIGTERM ended the server with ${end}`);
  ledger.findings.push(...complaints(server));
  if (ledger.findings.length === 0) removeFolder(site.folder);
  else ledger.findings.push(`the files are kept in ${site.folder}`);
}

/** The errors that the server logged; its log has one JSON object a line. */
function complaints(server: RunningServer): readonly string[] {
  const lines = server.process.output().err.split("\n");
  return lines.filter((line) => /^\{"level":[56]0,/.test(line)).map((line) => `logged: ${line}`);
}

function noFigures(): Omit<CrashReport, "findings"> {
  return {
    kills: 0,
    killsAtStart: 0,
    commands: 0,
    unanswered: 0,
    unansweredStored: 0,
    unansweredAbsent: 0,
    deletionsInterrupted: 0,
    tornWals: 0,
    stores: 0,
    records: 0,
    changes: 0,
    deletions: 0,
  };
}
