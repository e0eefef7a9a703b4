// What is in a package for npm: only files that belong there, everything that its manifest names, and no secret.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readManifest, type Manifest, run } from "../files.ts";

const documents = "(?:README|CHANGELOG|SECURITY)\\.md|LICENSE|package\\.json";
const built = "(?:[\\w-]+/)*[\\w-]+\\.(?:js|d\\.ts)";
const assets =
  "src/console/frame/asset/[\\w-]+\\.(?:css|svg)|dist/src/(?:\\w+/)+(?:schema\\.sql|preset/[\\w-]+\\.json)|dist/src/feature/\\w+/[\\w-]+\\.css";

/** The files that each package may have. A test, a source or a folder of data is in none of them. */
const allowed: Readonly<Record<string, RegExp>> = {
  sluice: new RegExp(
    `^(?:dist/(?:src|client/src)/${built}|dist/${assets}|bin/sluice\\.js|${documents})$`,
  ),
  "@sluice/client": new RegExp(`^(?:dist/${built}|${documents})$`),
};

const secrets: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*\n[A-Za-z0-9+/=\s]{40}/],
  ["a token of npm", /\bnpm_[A-Za-z0-9]{36}\b/],
  ["a token of GitHub", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{50})/],
  ["a key of AWS", /\bAKIA[0-9A-Z]{16}\b/],
  ["an API key of Sluice", /\bsluice_(?:key|token)_[A-Za-z0-9]{30}/],
];

/** The problems of a packed file. */
export async function findContentProblems(packed: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-release-"));
  try {
    await run(folder, "tar", "-xzf", packed);
    const listed = (await run(folder, "tar", "-tzf", packed)).split("\n");
    const paths = listed.filter((path) => path !== "" && !path.endsWith("/"));
    const own = paths.map((path) => path.replace(/^package\//, ""));
    const place = join(folder, "package");
    const manifest = readManifest(place, ".");
    return [
      ...findUnexpected(manifest, own),
      ...findMissing(manifest, own),
      ...own.flatMap((path) => findSecrets(path, readFileSync(join(place, path), "utf8"))),
    ].map((problem) => `${basename(packed)}: ${problem}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function findUnexpected({ name = "" }: Manifest, paths: readonly string[]): readonly string[] {
  const pattern = allowed[name];
  if (pattern === undefined) return [`it is not known what ${name} may have.`];
  return paths
    .filter((path) => !pattern.test(path))
    .map((path) => `${path} does not belong there.`);
}

function findMissing(manifest: Manifest, paths: readonly string[]): readonly string[] {
  const { main, types, bin = {}, exports } = manifest;
  const named = [main, types, ...Object.values(bin), ...textsIn(exports)];
  const needed = [...named.filter((path) => path !== undefined), "README.md", "LICENSE"];
  const missing = new Set(needed.map((path) => path.replace(/^\.\//, "")));
  for (const path of paths) missing.delete(path);
  return [...missing].map((path) => `${path} is missing.`);
}

/** The paths in `exports`, however deep. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function findSecrets(path: string, text: string): readonly string[] {
  return secrets.flatMap(([what, pattern]) => (pattern.test(text) ? [`${path} has ${what}.`] : []));
}
