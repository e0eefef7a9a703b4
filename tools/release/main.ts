// `npm run release`: checks whether this checkout can be released, packs everything, and says how to publish it. It
// never publishes: only the workflow of the repository does, and only after the same checks.

import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Check, type Checkout, type Outcome, runCheck } from "./check.ts";
import { checkChangelog } from "./check/changelog.ts";
import { checkLicences } from "./check/licences.ts";
import { checkLockFile } from "./check/lock-file.ts";
import { checkPublishing } from "./check/publishing.ts";
import { checkVersions } from "./check/versions.ts";
import { checkWorkTree } from "./check/work-tree.ts";
import { readManifest } from "./files.ts";
import { emptyFolder, packPackages, writeSbom, writeSums } from "./packing.ts";

const help = `Usage: npm run release -- [--dry-run] [--output FOLDER]

Checks whether this checkout can be released, and packs everything that a release has. Publishes nothing.

  --dry-run         only check and pack; without it, say how to publish if every check passed
  --output FOLDER   where to put the packages (default: release)
  --help            this text

Exit status: 0 if every check passed, 1 if one failed, 2 for a usage error.
`;

const root = dirname(dirname(import.meta.dirname));

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const options = readOptions(words);
  if (typeof options === "string") {
    process.stderr.write(`release: ${options}\n`);
    return 2;
  }
  if (options.help) return write(help);
  const { version = "" } = readManifest(root, ".");
  write(`Release ${version}${options.dryRun ? " (dry run)" : ""}\n\n`);
  const failed = await runAll({ root, version }, options.output);
  write(`\n${conclude(version, failed, options.dryRun)}`);
  return failed === 0 ? 0 : 1;
}

/** The message for a usage error. */
function readOptions(
  words: readonly string[],
): { readonly help: boolean; readonly dryRun: boolean; readonly output: string } | string {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        "dry-run": { type: "boolean", default: false },
        output: { type: "string", default: "release" },
        help: { type: "boolean", default: false },
      },
    });
    // npm takes the option for itself where the two dashes before it are missing.
    const dryRun = values["dry-run"] || process.env["npm_config_dry_run"] === "true";
    return { help: values.help, dryRun, output: resolve(root, values.output) };
  } catch (error) {
    return `${(error as Error).message} --help lists the options.`;
  }
}

/** The number of failed checks. */
async function runAll(checkout: Checkout, output: string): Promise<number> {
  const packing = () => {
    emptyFolder(output);
    return packPackages(root, output);
  };
  const checks: readonly Check[] = [
    { name: "work tree", run: checkWorkTree },
    { name: "versions", run: checkVersions },
    { name: "changelog", run: (one) => checkChangelog(one) },
    { name: "licences", run: (one) => checkLicences(one) },
    { name: "lock file", run: checkLockFile },
    { name: "provenance", run: (one) => checkPublishing(one) },
    { name: "packages", run: packing },
    { name: "SBOM", run: () => writeSbom(root, output) },
  ];
  const outcomes: Outcome[] = [];
  for (const check of checks) {
    const outcome = await runCheck(check, checkout);
    outcomes.push(outcome);
    report(check.name, outcome);
    // Nothing to describe, and maybe nowhere to write it.
    if (check.name === "packages" && outcome.found === "") return failures(outcomes);
  }
  write(`\n${writeSums(output).join("\n")}\n`);
  return failures(outcomes);
}

function failures(outcomes: readonly Outcome[]): number {
  return outcomes.filter(({ problems }) => problems.length > 0).length;
}

function report(name: string, { problems, found }: Outcome): void {
  const passed = problems.length === 0;
  write(`${passed ? "ok    " : "FAILED"}  ${name.padEnd(12)}${passed ? found : problems[0]}\n`);
  for (const problem of problems.slice(1)) write(`${" ".repeat(20)}${problem}\n`);
}

function conclude(version: string, failed: number, dryRun: boolean): string {
  if (failed > 0) return `Not ready: ${failed} of the checks failed. Nothing was published.\n`;
  if (dryRun) return "Ready to be released. Nothing was published.\n";
  return `Ready to be released. Nothing was published. To publish it, push the tag of this commit:

  git tag -s v${version} -m "Sluice ${version}" && git push origin v${version}

The workflow .github/workflows/release.yml repeats these checks and publishes, once somebody has approved it.
What it packs has the checksums above. The rest is in docs/guides/releasing.md.
`;
}

function write(text: string): 0 {
  process.stdout.write(text);
  return 0;
}
