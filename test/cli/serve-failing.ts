// Runs `sluice serve` for each environment that it is given, one after another, and prints how each ended. This process
// ends only if none of them left anything open.

import { makeCommandLine, type Outcome } from "./command-line.ts";

const environments = JSON.parse(process.argv[2] ?? "[]") as readonly Record<string, string>[];
const outcomes: Outcome[] = [];
for (const environment of environments) {
  outcomes.push(await makeCommandLine({ environment }).type("serve"));
}
process.stdout.write(JSON.stringify(outcomes));
