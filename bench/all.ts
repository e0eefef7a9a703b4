// `npm run bench -- all`: the commands of docs/reference/performance.md in its order, one after another, which takes
// most of a day. `--only NAMES` runs those of these names. Every figure of the page is printed by one of them.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";

export const commands: readonly string[] = [
  "bench operations --rounds 5 --seconds 2",
  "bench operations --rounds 5 --seconds 2 --engine postgres",
  "bench postgres-bulk --rows 300000",
  "bench timeline",
  "bench timeline --engine postgres",
  "campaign soak --minutes 60",
  "campaign soak --minutes 60 --engine postgres",
  "bench import",
  "campaign import --count 20",
  "bench large",
  "bench large --records 2000000",
  "campaign abuse --count 60",
  "campaign abuse --count 30 --engine postgres",
  "bench deletion",
  "bench deletion --records 60000 --deletions 9600",
  "bench deletion --engine postgres",
  "bench parties",
  "bench parties --records 3000000",
  "bench parties --engine postgres",
  "bench closing --records 400000",
  "bench closing --records 200000 --ids random",
  "bench closing --records 300000 --engine postgres",
  "bench closing --records 200000 --ids random --engine postgres",
  "bench clients",
  "bench clients --engine postgres",
  "bench changes",
  "bench changes --engine postgres",
  "bench find --count 10000000",
  "bench find --count 10000000 --engine postgres",
  "bench console --records 10000000",
  "bench console --engine postgres",
  "campaign scale --records 10000000",
  "campaign scale --engine postgres",
];

const programs: Readonly<Record<string, string>> = {
  bench: "main.ts",
  campaign: "../test/campaign/main.ts",
};

/** Returns the largest exit code. */
async function runAll(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: "string" } } });
  const names = values.only?.split(",");
  let worst = 0;
  for (const command of commands) {
    const [program = "", name = "", ...options] = command.split(" ");
    if (names?.includes(name) === false) continue;
    process.stdout.write(`\n## npm run ${program} -- ${[name, ...options].join(" ")}\n\n`);
    const file = join(import.meta.dirname, programs[program] ?? "");
    const child = spawn(process.execPath, [file, name, ...options], { stdio: "inherit" });
    const [code] = (await once(child, "exit")) as [number | null];
    worst = Math.max(worst, code ?? 1);
  }
  return worst;
}

if (import.meta.main) process.exitCode = await runAll();
