// `npm run bench`: compares the product with a bare floor, interleaved in one run, and counts every acknowledged
// write in the store afterwards. Sets no threshold for a figure; fails only if a request fails or a count is wrong.

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { compare, type CompareOptions, type Comparison } from "./compare.ts";
import { startGenerator } from "./generator.ts";
import { median } from "../test/support/median.ts";
import { renderTable, summarise } from "./figures.ts";
import { idOrders, operationNames } from "./requests.ts";
import { subjectNames } from "./subjects.ts";

const usage = `usage: npm run bench -- [options]
  --rounds N        measured rounds of each server and operation (5)
  --seconds S       length of a round (3)
  --connections N   connections, each with one request open (64)
  --engine NAME     sqlite or postgres (sqlite)
  --operations A,B  of ${operationNames.join(", ")} (all)
  --ids ORDER       ${idOrders.join(" or ")} (ordered)
  --json            one JSON document instead of the table
`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "3" },
      connections: { type: "string", default: "64" },
      operations: { type: "string", default: operationNames.join(",") },
      engine: { type: "string", default: "sqlite" },
      ids: { type: "string", default: "ordered" },
      json: { type: "boolean", default: false },
    },
  });
  const ids = idOrders.find((order) => order === values.ids);
  if (ids === undefined) throw new Error(`--ids must be one of ${idOrders.join(", ")}`);
  const operations = values.operations.split(",").map((name) => {
    const found = operationNames.find((known) => known === name);
    if (found === undefined)
      throw new Error(`--operations must be of ${operationNames.join(", ")}`);
    return found;
  });
  const rounds = positive("rounds", values.rounds);
  const seconds = positive("seconds", values.seconds);
  const connections = positive("connections", values.connections);
  const { engine, json } = values;
  return { engine, rounds, seconds, connections, operations, ids, json };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
  return value;
}

/** One line for each store whose count differs from the acknowledged writes. */
function mismatches({ operation, acknowledged, stored }: Comparison): string[] {
  return subjectNames.flatMap((name) => {
    const [said, found] = [acknowledged[name], stored[name]];
    if (said.records === found.records && said.changes === found.changes) return [];
    const [wanted, has] = [said, found].map(
      ({ records, changes }) => `${records} records and ${changes} changes`,
    );
    return [`${operation}: ${name} acknowledged ${wanted}, but its store has ${has}`];
  });
}

async function main(): Promise<number> {
  const { operations, json, ...options } = readOptions();
  const generator = startGenerator();
  const comparisons: Comparison[] = [];
  try {
    for (const operation of operations) {
      process.stderr.write(`${operation} …\n`);
      comparisons.push(await compare(operation, options, generator.runRound));
    }
  } finally {
    generator.stop();
  }
  process.stdout.write(json ? renderJson(options, comparisons) : renderText(options, comparisons));
  const wrong = comparisons.flatMap(mismatches);
  for (const line of wrong) process.stderr.write(`${line}\n`);
  return wrong.length === 0 ? 0 : 1;
}

function renderText(options: CompareOptions, comparisons: readonly Comparison[]): string {
  const { engine, rounds, seconds, connections, ids } = options;
  const changes = comparisons.reduce(
    (sum, { stored }) => sum + stored.floor.changes + stored.product.changes,
    0,
  );
  const others = comparisons.flatMap(({ rounds: { floor, product } }) =>
    [...floor, ...product].map(({ othersShare }) => othersShare),
  );
  return `${engine}, ${rounds} rounds of ${seconds} s each, ${connections} connections, ${ids} ids, ${availableParallelism()} cores that all
processes share, Node ${process.version}. Rates are records per second, checks per second for check; ratios are medians
of the ratios of adjacent rounds.

${renderTable(comparisons.map(summarise))}

Stored changes counted afterwards: ${changes.toLocaleString("en")}.
Processor time of other processes: ${percent(median(others))} in the median round, ${percent(Math.max(...others))} in the worst.
`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

function renderJson(options: CompareOptions, comparisons: readonly Comparison[]): string {
  const results = comparisons.map((comparison) => ({ ...summarise(comparison), ...comparison }));
  return `${JSON.stringify({ options, cores: availableParallelism(), node: process.version, results })}\n`;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 1;
}
