// Packs everything that is released into one folder: what npm, Helm, Go and Python install. The same commit has the
// same bytes: npm and hatchling write a fixed time, and git that of the commit.

import { execFileSync } from "node:child_process";
import { globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { readManifest, run } from "./files.ts";

export interface Packed {
  readonly paths: readonly string[];
  /** What could not be packed here, and why. */
  readonly skipped: readonly string[];
}

/** One for each kind of package. */
export const packageFolders = ["npm", "helm", "go", "python"] as const;

/** Paths are relative to `output`. Runs the builds of the packages in the checkout. */
export async function packAll(root: string, output: string): Promise<Packed> {
  const { version = "" } = readManifest(root, ".");
  for (const folder of packageFolders) {
    mkdirSync(join(output, folder), { recursive: true });
  }
  for (const folder of [".", "./client"]) await packNpm(root, folder, join(output, "npm"));
  await archive(root, {
    from: "deploy/helm",
    path: "sluice",
    to: join(output, `helm/sluice-${version}.tgz`),
  });
  await archive(root, {
    from: "clients/go",
    path: ".",
    prefix: `sluice-go-${version}/`,
    to: join(output, `go/sluice-go-${version}.tar.gz`),
  });
  const skipped = await packPython(root, join(output, "python"));
  const paths = globSync("*/*", { cwd: output }).sort();
  return { paths, skipped: skipped === undefined ? [] : [skipped] };
}

export async function packNpm(root: string, folder: string, output: string): Promise<void> {
  await run(root, "npm", "pack", folder, "--pack-destination", output, "--loglevel", "error");
}

interface Archive {
  readonly from: string;
  readonly path: string;
  readonly prefix?: string;
  readonly to: string;
}

/** The files of the last commit, with its time. */
async function archive(root: string, { from, path, prefix, to }: Archive): Promise<void> {
  const prefixed = prefix === undefined ? [] : [`--prefix=${prefix}`];
  const words = ["archive", "--format=tar.gz", ...prefixed, "--output", to, "HEAD", path];
  await run(join(root, from), "git", ...words);
}

/** Why there is no Python package, if there is none. */
async function packPython(root: string, output: string): Promise<string | undefined> {
  try {
    execFileSync("python3", ["-c", "import build, hatchling"], { stdio: "ignore" });
  } catch {
    return "the Python package: needs `pip install build hatchling`";
  }
  const words = ["-m", "build", "--no-isolation", "--outdir", output, "clients/python"];
  await run(root, "python3", ...words);
  return undefined;
}
