// `npm run abuse`: runs every abuse, or those that are named, each on its own server next to a good
// client, and reports the effect on the good client and the server.

import { parseArgs } from "node:util";
import { type Engine, engines } from "./abuse.ts";
import { abuseNamed, abuses } from "./abuses.ts";
import { heading, lineOf, missedTargetsOf, ratioOf } from "./report.ts";
import { type AbuseRow, loggedErrors, runAbuse } from "./run-abuse.ts";
import { openSite } from "./site.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    seed: { type: "string" },
    engine: { type: "string", default: "sqlite" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const seconds = wholeNumber("seconds", values.seconds);
const seed = wholeNumber("seed", values.seed ?? `${Math.floor(Math.random() * 1_000_000)}`);
const engine = engines.find((one): one is Engine => one === values.engine);
if (engine === undefined) throw new TypeError(`--engine must be one of ${engines.join(", ")}`);
const chosen = values.only?.split(",").map(abuseNamed) ?? abuses;

/** A server that has just started has not compiled its code yet. */
const warmUpMs = 3_000;

const write = (line: string) => void process.stdout.write(`${line}\n`);
const isMissed = await runAll(engine);
process.exitCode = isMissed ? 1 : 0;

async function runAll(on: Engine): Promise<boolean> {
  if (!values.json) write(`seed ${seed}, ${seconds} s each, ${on}\n${heading}`);
  let missed = 0;
  for (const abuse of chosen.filter((one) => one.engine === undefined || one.engine === on)) {
    const site = await openSite(on);
    try {
      const row = await runAbuse(site, abuse, {
        seed,
        short: false,
        abuseMs: seconds * 1_000,
        warmUpMs,
        idleMs: seconds * 1_000,
        settleMs: 5_000,
      });
      const { missing } = (await site.good.ask("stop")) as { missing: readonly string[] };
      const lost = missing.slice(0, 10).map((id) => `acknowledged and not there: ${id}`);
      const findings = [...row.findings, ...lost, ...loggedErrors(site)];
      show({ ...row, findings });
      if (findings.length > 0 || missedTargetsOf(row).length > 0) missed += 1;
    } finally {
      await site.close();
    }
  }
  if (!values.json) write(`${missed} of ${chosen.length} abuses did what they must not do`);
  return missed > 0;
}

function show(row: AbuseRow): void {
  if (values.json) return write(JSON.stringify({ ...row, ratio: ratioOf(row), engine, seed }));
  write(lineOf(row));
  for (const miss of missedTargetsOf(row)) write(`  MISSED ${miss}`);
  for (const finding of row.findings.slice(0, 20)) write(`  FOUND ${finding}`);
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TypeError(`--${name} must be a whole number, but is "${text}"`);
}
