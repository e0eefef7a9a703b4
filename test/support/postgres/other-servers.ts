// The server programs of other versions of PostgreSQL than the one that the tests run on: those that are installed
// where the packages of Debian and of the PostgreSQL project put them, and those that SLUICE_TEST_POSTGRES_BINS names.
// They are not dependencies, because each version would be 60 MB of every installation.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installedBinaries } from "./postgres-binaries.ts";

/** Folders of programs, separated as in PATH. */
export const versionsSetting = "SLUICE_TEST_POSTGRES_BINS";

const supportedMajors = [15, 16, 17, 18] as const;

export interface OtherServer {
  readonly major: number;
  /** The folder of its programs; undefined if it is not there. */
  readonly programs: string | undefined;
}

/** Each version that is supported, without the one that the tests run on. */
export async function findOtherServers(): Promise<readonly OtherServer[]> {
  const usual = majorOf((await installedBinaries()).postgres);
  const named = (process.env[versionsSetting] ?? "").split(delimiter);
  const folders = named.filter((folder) => folder !== "");
  return supportedMajors
    .filter((major) => major !== usual)
    .map((major) => {
      const packaged = [`/usr/lib/postgresql/${major}/bin`, `/usr/pgsql-${major}/bin`];
      const programs = [...folders, ...packaged.filter(existsSync)].find(
        (folder) => majorOf(join(folder, "postgres")) === major,
      );
      return { major, programs };
    });
}

function majorOf(program: string): number {
  const said = execFileSync(program, ["--version"], { encoding: "utf8" });
  return Number(/\(PostgreSQL\) (\d+)/.exec(said)?.[1]);
}
