// Packs a release into an empty folder, checks what was packed, and writes the bill of materials and the checksums.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "./check.ts";
import { findContentProblems } from "./check/contents.ts";
import { readManifest, run } from "./files.ts";
import { packAll, packageFolders } from "./package-set.ts";
import { makeSbom } from "./sbom.ts";

const sumsFile = "SHA256SUMS";

const sbomFolder = "sbom";

/** Removes an earlier release. Throws, and removes nothing, if the folder has anything else. */
export function emptyFolder(folder: string): void {
  const own = new Set([...packageFolders, sbomFolder, sumsFile]);
  const there = existsSync(folder) ? readdirSync(folder) : [];
  const other = there.find((name) => !own.has(name));
  if (other !== undefined) {
    throw new Error(`${folder} has other files (${other}); name an empty folder with --output.`);
  }
  for (const name of there) rmSync(join(folder, name), { recursive: true });
  mkdirSync(folder, { recursive: true });
}

export async function packPackages(root: string, output: string): Promise<Outcome> {
  const { paths, skipped } = await packAll(root, output);
  const problems = await Promise.all(
    paths
      .filter((path) => path.startsWith("npm/"))
      .map((path) => findContentProblems(join(output, path))),
  );
  const without = skipped.length === 0 ? "" : `; without ${skipped.join(", ")}`;
  return { problems: problems.flat(), found: `${paths.length} files${without}` };
}

/** The time in it is that of the commit. */
export async function writeSbom(root: string, output: string): Promise<Outcome> {
  const madeAt = Number(await run(root, "git", "log", "-1", "--format=%ct"));
  const { version } = readManifest(root, ".");
  const sbom = await makeSbom(root, madeAt);
  mkdirSync(join(output, sbomFolder), { recursive: true });
  const path = join(output, `${sbomFolder}/sluice-${version}.cdx.json`);
  writeFileSync(path, `${JSON.stringify(sbom, undefined, 2)}\n`);
  const { specVersion, components } = sbom;
  return { problems: [], found: `CycloneDX ${specVersion}; ${components.length} components` };
}

/** In the format of sha256sum. */
export function writeSums(output: string): readonly string[] {
  const folders = readdirSync(output, { withFileTypes: true }).filter((one) => one.isDirectory());
  const paths = folders.flatMap(({ name }) =>
    readdirSync(join(output, name)).map((file) => `${name}/${file}`),
  );
  const lines = paths.sort().map((path) => {
    const hash = createHash("sha256").update(readFileSync(join(output, path)));
    return `${hash.digest("hex")}  ${path}`;
  });
  writeFileSync(join(output, sumsFile), `${lines.join("\n")}\n`);
  return lines;
}
