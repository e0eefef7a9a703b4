// Runs the tests: every test/**/*.test.ts that is not in parts.ts, with --rest those that are, or all under the given
// paths (npm test -- test/domain). Succeeds only if tests ran and none failed; a path without tests and a file without
// tests are failures too. What the files can share is made once: compiled code, and a PostgreSQL server.

import { globSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { run } from "node:test";
import { describeRest, kindOf } from "./parts.ts";
import { separate } from "./separate.ts";
import { shareCompiled } from "./support/compiled.ts";
import { sharePostgres } from "./support/postgres/postgres-server.ts";
import { preferMemory } from "./support/temp-folder.ts";
import { TestReport } from "./test-report.ts";
import { gather } from "./together/groups.ts";
import { filesVariable } from "./together/run-together.ts";

const root = dirname(import.meta.dirname);
/** Only to name a test that hangs instead of waiting for it. */
const fileTimeoutMs = 10 * 60_000;
/** A file that timed out can keep its process alive; when nothing was reported for so long after that, all end. */
const idleMs = 60_000;

/** Tests make much garbage, and nearly all of it is gone soon: with more room for it, less is collected and kept. */
const youngGeneration = ["--min-semi-space-size=32", "--max-semi-space-size=64"];

/** Parts of the paths of the longest files, the longest first, so that both processors end at the same time. */
const long = [
  "test/together/features",
  "test/together/crash",
  "test/together/cli",
  "test/together/campaigns",
  "test/together/store",
  "test/abuse/",
  "test/together/release",
  "test/together/backup",
  "test/together/contract",
  "test/together/repository",
  "test/conformance/",
  "test/console/tasks",
  "test/changes/",
  "test/console/screens",
  "test/together/receipt",
  "test/contract/on-",
  "test/scale/",
  "test/together/clients",
  "test/removal/",
  "test/together/postgres",
  "test/together/http",
  "test/together/client",
  "test/together/actions",
  "test/together/units",
  "test/together/",
  "test/disclosure/twins",
  "test/disclosure/disclosure",
  "test/backup/",
];

// Set where a test runs these tests; the runner would mistake itself for that test's child.
delete process.env["NODE_TEST_CONTEXT"];

shareCompiled();

// Hardly any test is about a loss of power; those that are have a disk of their own.
preferMemory();

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const paths = words.filter((word) => word !== "--rest");
  const files = paths.length === 0 ? findOwn(words.includes("--rest")) : findTests(paths);
  if (files === undefined) return 2;
  const report = new TestReport(root, (text) => process.stdout.write(text));
  const onPostgres = files.filter((file) =>
    /(?:start|use)Postgres/.test(readFileSync(file, "utf8")),
  );
  const server = onPostgres.length > 1 ? await sharePostgres() : undefined;
  const { groups, others } = gather(files, join(root, "test"));
  process.env[filesVariable] = JSON.stringify(groups);
  const hung = new AbortController();
  const watch = setTimeout(() => hung.abort(), fileTimeoutMs + idleMs);
  const events = run({
    signal: hung.signal,
    files: [
      ...others,
      ...Object.keys(groups).map((name) => join(root, `test/together/${name}.ts`)),
    ].sort(longFirst),
    // Many tests wait for a process or for the disk. Those of the rest use a processor for a third of their time.
    concurrency: availableParallelism() + (words.includes("--rest") ? 4 : 2),
    timeout: fileTimeoutMs,
    execArgv: youngGeneration,
  });
  const asSeparate = separate();
  for await (const event of events) {
    watch.refresh();
    report.take(asSeparate(event));
  }
  clearTimeout(watch);
  await server?.remove();
  const hasPassed = report.close();
  if (words.length === 0) process.stdout.write(`${describeRest(findOwn(true))}\n`);
  return hasPassed ? 0 : 1;
}

/** The files of `npm test`, or those that it leaves out. */
function findOwn(isRest: boolean): string[] {
  const files = testsAt(join(root, "test")).filter(
    (file) => isRest === (kindOf(file) !== undefined),
  );
  return files.sort(longFirst);
}

/**
 * Paths are relative to the current directory. Undefined, after an error message, if any of them
 * contains no test.
 */
function findTests(paths: readonly string[]): string[] | undefined {
  const places = paths.map((path) => resolve(path));
  const found = places.map(testsAt);
  const empty = places.find((_, index) => found[index]?.length === 0);
  if (empty === undefined) return [...new Set(found.flat())].sort(longFirst);
  process.stderr.write(`There is no test in ${relative(process.cwd(), empty) || "."}.\n`);
  return undefined;
}

function testsAt(place: string): readonly string[] {
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) return globSync(place).filter((path) => path.endsWith(".test.ts"));
  return globSync("**/*.test.ts", { cwd: place, exclude: ["**/node_modules"] }).map((path) =>
    resolve(place, path),
  );
}

function placeOf(file: string): number {
  const place = long.findIndex((name) => file.includes(name));
  return place === -1 ? long.length : place;
}

/** So that no long file is left when all others have ended. */
function longFirst(one: string, other: string): number {
  return placeOf(one) - placeOf(other) || (one < other ? -1 : 1);
}
