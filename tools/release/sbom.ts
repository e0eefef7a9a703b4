// The bill of materials of the package in CycloneDX, by `npm sbom`. In a checkout that command leaves out what
// development needs as well, the client of PostgreSQL among them; so it runs in a folder that has no dependencies of
// development.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readManifest, run } from "./files.ts";

export interface Sbom {
  readonly specVersion: string;
  readonly metadata: { readonly timestamp: string };
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

/** `madeAt`: seconds since 1970, of the commit. The same commit has the same bytes. Needs no network. */
export async function makeSbom(root: string, madeAt: number): Promise<Sbom> {
  const work = mkdtempSync(join(tmpdir(), "sluice-sbom-"));
  try {
    const folder = join(work, "sluice");
    mkdirSync(folder);
    const { name, version, license, dependencies } = readManifest(root, ".");
    const manifest = { name, version, license, dependencies };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    copyFileSync(join(root, "package-lock.json"), join(folder, "package-lock.json"));
    await run(folder, "npm", "install", "--package-lock-only", "--offline", "--ignore-scripts");
    const words = ["--sbom-format", "cyclonedx", "--sbom-type", "application"];
    const text = await run(folder, "npm", "sbom", "--package-lock-only", ...words);
    const { serialNumber: _random, ...made } = JSON.parse(text) as Sbom & { serialNumber: string };
    const timestamp = new Date(madeAt * 1_000).toISOString();
    return { ...made, metadata: { ...made.metadata, timestamp } };
  } finally {
    rmSync(work, { recursive: true });
  }
}
