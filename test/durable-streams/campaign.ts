// The conformance tests of Durable Streams, those that only read, against the feed of a service. They are installed for
// a run: with the test runner that they need they are 80 packages, of which nothing else here has a use.

import { writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Campaign, CampaignOutcome, CampaignRun } from "../campaign/campaign.ts";
import { withServicesOn } from "../support/database-maker.ts";
import { run as runCommand } from "../generated/client-maker.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { startService } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { startAdapter } from "./adapter.ts";
import { notApplicable } from "./not-applicable.ts";

const packages = ["@durable-streams/server-conformance-tests@0.3.6", "vitest@4.1.12"];
/** A long poll without news takes 20 seconds. */
const testMs = 40_000;

export const durableStreams: Campaign = {
  about: "runs the conformance tests of Durable Streams that read; installs them from npm",
  counts: "run",
  countDefault: 1,
  engines: ["sqlite", "postgres"],
  run: runSuite,
};

interface Result {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

async function runSuite({ engine }: CampaignRun): Promise<CampaignOutcome> {
  const folder = makeTempFolder();
  const results = await withServicesOn(engine, async () => {
    const service = await startService({ clock: { ...makeFakeClock(), now: Date.now } });
    const adapter = await startAdapter(service);
    try {
      return await readAll(folder, adapter.address);
    } finally {
      adapter.stop();
      await service.stop();
    }
  });
  removeFolder(folder);
  const names = results.map(({ fullName }) => fullName);
  const unused = notApplicable
    .flatMap(({ tests }) => tests)
    .filter((part) => !names.some((name) => new RegExp(part).test(name)));
  const applicable = results.filter(({ status }) => status !== "skipped");
  const failed = applicable.filter(({ status }) => status !== "passed");
  return {
    figures: { passed: applicable.length - failed.length, failed: failed.length, of: names.length },
    findings: [
      ...failed.map(({ fullName, failureMessages: [first] }) => `${fullName}: ${first ?? ""}`),
      ...unused.map((part) => `No test is called ${part}.`),
    ],
  };
}

async function readAll(folder: string, address: string): Promise<readonly Result[]> {
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
  writeFileSync(
    join(folder, "read.test.js"),
    `import { runConformanceTests } from "@durable-streams/server-conformance-tests";\n` +
      `runConformanceTests(${JSON.stringify({ baseUrl: address })});\n`,
  );
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  await runCommand(folder, "npm", ...install, ...packages);
  const left = notApplicable
    .flatMap(({ tests }) => tests)
    .map((part) => (part.startsWith("^") ? part.slice(1) : `.*${part}`));
  const words = [`--testTimeout=${testMs}`, "--reporter=json", "--outputFile=results.json"];
  const applied = ["-t", `^(?!${left.join("|")})`];
  // It fails if any test does, which the results say better.
  await runCommand(folder, "npx", "vitest", "run", ...words, ...applied).catch(() => undefined);
  const { testResults } = JSON.parse(readFileSync(join(folder, "results.json"), "utf8")) as {
    testResults: readonly { readonly assertionResults: readonly Result[] }[];
  };
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}
