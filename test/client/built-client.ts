// The client's package as it is published: built into a temporary folder, or packed and installed
// there, where programs find it by its name.

import { execFile } from "node:child_process";
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../repository/tree.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const run = promisify(execFile);
const tsc = join(root, "node_modules/typescript/bin/tsc");

export interface BuiltClient {
  /** Has the package in its node_modules. */
  readonly folder: string;
  /** Of the package. */
  readonly package: string;
}

export async function buildClient(): Promise<BuiltClient> {
  const folder = makeTempFolder();
  const place = join(folder, "node_modules/@sluice/client");
  const project = join(root, "client/tsconfig.build.json");
  // Another test checks the types of the client itself.
  await compile("-p", project, "--noCheck", "--outDir", join(place, "dist"));
  cpSync(join(root, "client/package.json"), join(place, "package.json"));
  symlinkSync(join(root, "node_modules/@types"), join(folder, "node_modules/@types"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return { folder, package: place };
}

export interface PackedClient extends BuiltClient {
  /** The paths in the package. */
  readonly paths: readonly string[];
}

/** Packs a copy, so that tests that pack at the same time do not share the folder of the build. */
export async function installClient(): Promise<PackedClient> {
  const copy = makeTempFolder();
  for (const path of ["client", "tsconfig.json"]) {
    cpSync(join(root, path), join(copy, path), { recursive: true, filter: isSource });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const packing = ["pack", "./client", "--json", "--pack-destination", copy];
  const { stdout } = await run("npm", packing, { cwd: copy, env: ownEnvironment() });
  const [{ filename, files }] = JSON.parse(stdout) as [
    { filename: string; files: readonly { readonly path: string }[] },
  ];
  const folder = makeTempFolder();
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const installing = ["install", "--offline", "--no-audit", join(copy, filename)];
  await run("npm", installing, { cwd: folder, env: ownEnvironment() });
  const place = join(folder, "node_modules/@sluice/client");
  return { folder, package: place, paths: files.map(({ path }) => path) };
}

function isSource(path: string): boolean {
  return !path.endsWith("/dist");
}

/** Returns the compiler's errors; empty if there are none. */
export async function compile(...words: readonly string[]): Promise<string> {
  try {
    await run(process.execPath, [tsc, ...words]);
    return "";
  } catch (error) {
    return (error as { stdout?: string }).stdout ?? String(error);
  }
}

/** Compiles programs that use the package, with these settings in addition to the strictest. */
export async function compileProgram(
  { folder }: BuiltClient,
  code: string | readonly string[],
  settings: Readonly<Record<string, unknown>>,
): Promise<string> {
  const files = [code].flat().map((text, index) => {
    writeFileSync(join(folder, `program-${index}.ts`), text);
    return `program-${index}.ts`;
  });
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    ...settings,
  };
  const project = join(folder, "tsconfig.json");
  writeFileSync(project, JSON.stringify({ compilerOptions, files }));
  return compile("-p", project);
}

/** The text of every JavaScript file in the package. */
export function javascriptOf(built: BuiltClient): readonly string[] {
  const cwd = join(built.package, "dist");
  return globSync("**/*.js", { cwd }).map((path) => readFileSync(join(cwd, path), "utf8"));
}

/** Without what npm passes on to a script that it runs, and with the Node of this process first. */
function ownEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH: `${dirname(process.execPath)}:${PATH}`, HOME };
}
