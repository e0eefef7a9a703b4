// `disclosure`: random scenarios, each in organizations that differ only in confidential records. Every two of them
// are a pair. Reports each scenario of which a caller without the scope gets anything different. `timing` measures
// whether a report that is kept makes a deletion, or the reply with its status, slower.

import type { Campaign, CampaignOutcome, CampaignRun } from "../campaign/campaign.ts";
import { type MakeDatabase, withDatabases } from "../support/database-maker.ts";
import { useStores } from "../support/service.ts";
import { preferMemory } from "../support/temp-folder.ts";
import { pairsOfScenario } from "./batch.ts";
import { type DisclosureReport, runDisclosureCampaign } from "./disclosure-campaign.ts";
import { type Comparison, isFinding, measureTiming } from "./timing.ts";
import { compareTwins } from "./twins.ts";

const shared = { counts: "pairs", countDefault: 10_000, engines: ["sqlite", "postgres"] } as const;
/** Between two lines of progress. */
const progressMs = 20_000;

export const disclosure: Campaign = {
  ...shared,
  about: "compares what callers get of organizations that differ only in confidential records",
  run: async (run) => {
    if (run.engine === "sqlite") preferMemory();
    return await onEngine(run, compare);
  },
};

export const twins: Campaign = {
  ...shared,
  countDefault: 1_000,
  about:
    "compares all pages of the console and all commands between such organizations in two stores",
  run: async (run) => {
    if (run.engine === "sqlite") preferMemory();
    return await withDatabases(run.engine, (makeDatabase) => compareStores(run, makeDatabase));
  },
};

export const timing: Campaign = {
  ...shared,
  about: "measures whether a kept report makes a deletion or its status slower",
  // Times are measured where the store has to wait for the disk, as in service.
  run: (run) => onEngine(run, measure),
};

type Run = (run: CampaignRun) => Promise<CampaignOutcome>;

/** Services have their stores on the engine of the run from then on. */
async function onEngine(run: CampaignRun, work: Run): Promise<CampaignOutcome> {
  return await withDatabases(run.engine, (makeDatabase) => {
    if (makeDatabase !== undefined) {
      useStores(async () => ({ DATABASE_URL: await makeDatabase() }));
    }
    return work(run);
  });
}

async function compare(run: CampaignRun): Promise<CampaignOutcome> {
  const { seed, countMax: pairsMax, budgetMs, tell } = run;
  const startedAt = performance.now();
  const findings: string[] = [];
  let toldAt = startedAt;
  const report = await runDisclosureCampaign({
    seed,
    pairsMax,
    budgetMs,
    onProgress: (so) => {
      if (performance.now() - toldAt < progressMs) return;
      toldAt = performance.now();
      tell(JSON.stringify({ ...so, ...speedOf(so, startedAt) }));
    },
    onDifference: ({ seed: own, world, part, texts }, batch) => {
      const among = `--seed ${batch.seed} --count ${batch.scenarios * pairsOfScenario}`;
      findings.push(
        `seed ${own} (--count ${pairsOfScenario}; among the same others ${among}), ` +
          `organization ${world} differs at part ${part}:\n  ${texts.join("\n  ")}`,
      );
    },
  });
  return { figures: { ...report, ...speedOf(report, startedAt) }, findings };
}

function speedOf({ pairs }: DisclosureReport, startedAt: number) {
  const { user, system } = process.cpuUsage();
  const perSecond = pairs / ((performance.now() - startedAt) / 1_000);
  const cpuMsOfPair = (user + system) / 1_000 / pairs;
  return { "pairs per second": Math.round(perSecond), "CPU ms of a pair": cpuMsOfPair.toFixed(1) };
}

async function compareStores(
  { seed, countMax: pairsMax, budgetMs, tell }: CampaignRun,
  makeDatabase: MakeDatabase | undefined,
): Promise<CampaignOutcome> {
  const { pairs, compared, differences } = await compareTwins({
    seed,
    pairsMax,
    budgetMs,
    makeDatabase,
    onBatch: ({ differences: found, ...so }) =>
      tell(JSON.stringify({ ...so, differences: found.length })),
  });
  const findings = differences.map(
    ({ seed: own, view, texts }) => `seed ${own}: ${view}\n  ${texts.join("\n  ")}`,
  );
  return { figures: { pairs, compared, differences: findings.length }, findings };
}

async function measure(run: CampaignRun): Promise<CampaignOutcome> {
  const { seed, countMax: pairsMax, budgetMs, tell } = run;
  const { pairs, ...compared } = await measureTiming({ seed, pairsMax, budgetMs });
  tell(`${pairs} persons in each series, in turns (Mann-Whitney U)`);
  const findings: string[] = [];
  for (const [name, comparison] of Object.entries(compared)) {
    const line = describe(name, comparison);
    tell(line);
    if (isFinding(comparison)) findings.push(line);
  }
  return { figures: { pairs }, findings };
}

function describe(name: string, { medianMs, control, effect }: Comparison): string {
  const [chance, report] = [control, effect].map(
    ({ superiority, p }) => `${superiority.toFixed(3)} (p ${p.toPrecision(2)})`,
  );
  return (
    `${name}, median ${medianMs.toFixed(2)} ms: one with a kept report is slower with a probability of ${report}, ` +
    `one of the control with ${chance}; 0.5 is not distinguishable`
  );
}
