// Plants small faults, and reports those that the tests do not find.

import type { Campaign } from "../campaign/campaign.ts";
import { readMutants } from "./mutant.ts";
import { runMutants } from "./run-mutants.ts";

const layers = [
  "domain",
  "store",
  "actions",
  "http",
  "worker",
  "bulk",
  "cli",
  "console",
  "client",
  "feature",
];

export const mutants: Campaign = {
  about: "plants small faults in a copy, and reports those that no test finds",
  counts: "faults",
  countDefault: 1_000,
  engines: ["sqlite"],
  parts: [...layers, "metrics"],
  run: ({ only, ...run }) => {
    const isChosen = (file: string) =>
      only === undefined || only.some((part) => file.split("/").includes(part));
    return runMutants(
      readMutants().filter(({ file }) => isChosen(file)),
      run,
    );
  },
};
