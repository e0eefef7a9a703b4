// Removes each feature from a copy of the checkout, and reports what no longer holds without it. Stores that have rows
// of every feature, one of each engine, must lose those of the removed one with the first start.

import { globSync } from "node:fs";
import { join } from "node:path";
import { features as all } from "../../src/feature/features.ts";
import type { Campaign, CampaignRun } from "../campaign/campaign.ts";
import { acme, operator, organization } from "../conformance/scene.ts";
import { storeSamples } from "../feature/samples.ts";
import { kindOf } from "../parts.ts";
import { root } from "../repository/tree.ts";
import { startPostgres } from "../support/postgres/postgres-server.ts";
import { preferMemory } from "../support/temp-folder.ts";
import { openTestStore } from "../support/test-store.ts";
import { TreeCopy } from "../support/tree-copy.ts";
import { removeFeature } from "./remove-feature.ts";

const names = all.map(({ name }) => name);
/** The part of the campaign that removes all of them from one copy. */
const every = "every";

/** Only to name a step that hangs. */
const stepMsMax = 30 * 60_000;

type Steps = Readonly<Record<string, readonly string[]>>;

/** What has to succeed, in this order. */
const always: Steps = {
  documents: ["docs/generate.ts"],
  types: ["node_modules/typescript/bin/tsc", "-p", "."],
  // Not the one that asks git, which a copy does not have, and not the tests of the test runner.
  "house rules": ["test/run.ts", ...quickTests("test/repository/!(package|run).test.ts")],
};

/** What else has to succeed with `--all`. */
const further: Steps = {
  contract: ["test/run.ts", "test/contract"],
  conformance: ["test/run.ts", "test/conformance"],
  disclosure: ["test/run.ts", "test/disclosure"],
  receipts: ["test/run.ts", ...quickTests("test/receipt/*.test.ts")],
};

export const features: Campaign = {
  about: "removes each feature in a copy, and reports what no longer holds without it",
  counts: "features",
  countDefault: names.length + 1,
  engines: ["sqlite"],
  flags: ["all"],
  parts: [every, ...names],
  run: async ({
    only = [every, ...names],
    countMax,
    budgetMs,
    amounts = {},
    tell,
  }: CampaignRun) => {
    preferMemory();
    const endsAt = performance.now() + budgetMs;
    const findings: string[] = [];
    let removed = 0;
    const server = await startPostgres();
    try {
      for (const name of only.slice(0, countMax)) {
        if (performance.now() >= endsAt) break;
        removed += 1;
        const steps = amounts["all"] === 1 ? { ...always, ...further } : always;
        const url = await server.makeDatabase();
        findings.push(...(await findLeft(name, { steps, url, tell })));
      }
    } finally {
      await server.remove();
    }
    return { figures: { removed }, findings };
  },
};

interface Removal extends Pick<CampaignRun, "tell"> {
  readonly steps: Steps;
  /** Of an empty database on PostgreSQL. */
  readonly url: string;
}

async function findLeft(name: string, { steps, url, tell }: Removal): Promise<readonly string[]> {
  const copy = new TreeCopy();
  const findings: string[] = [];
  try {
    const stores = [url, `sqlite:${join(copy.folder, "data", "sluice.db")}`];
    for (const store of stores) await fill(store);
    for (const one of name === every ? names : [name]) removeFeature(copy.folder, one);
    const opening = { "earlier stores": ["test/removal/open-filled.ts", ...stores] };
    for (const [step, words] of Object.entries({ ...steps, ...opening })) {
      const startedAt = performance.now();
      const { code, output } = await copy.run(words, stepMsMax);
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      tell(`without ${name}: ${step} ${code === 0 ? "succeed" : "FAIL"} (${seconds} s)`);
      const lines = output.split("\n").filter((line) => !/^ok |^$/.test(line));
      if (code !== 0) findings.push([`without ${name}, ${step} fail:`, ...lines].join("\n"));
    }
  } finally {
    copy.remove();
  }
  return findings;
}

/** Rows in every table of each feature. */
async function fill(url: string): Promise<void> {
  const store = await openTestStore(url, { role: "serve" });
  await store.createOrganization(organization(acme), operator);
  for (const sample of storeSamples) {
    await sample.fill?.(store, acme, { act: operator, types: ["person"] });
    await sample.derive?.(store);
  }
  await store.add("person", "p-1");
  await store.erase("person", "p-1");
  await store.close();
}

/** Those of `npm test`. */
function quickTests(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: root })
    .filter((path) => kindOf(join(root, path)) === undefined)
    .toSorted();
}
