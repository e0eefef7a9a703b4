// The client's package as it is published: built into a temporary folder, where programs find it by
// its name.

import { execFile } from "node:child_process";
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
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
  await compile("-p", project, "--outDir", join(place, "dist"));
  cpSync(join(root, "client/package.json"), join(place, "package.json"));
  symlinkSync(join(root, "node_modules/@types"), join(folder, "node_modules/@types"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return { folder, package: place };
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

/** Compiles a program that uses the package, with these settings in addition to the strictest. */
export async function compileProgram(
  { folder }: BuiltClient,
  code: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<string> {
  writeFileSync(join(folder, "program.ts"), code);
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    ...settings,
  };
  const project = join(folder, "tsconfig.json");
  writeFileSync(project, JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  return compile("-p", project);
}

/** The text of every JavaScript file in the package. */
export function javascriptOf(built: BuiltClient): readonly string[] {
  const cwd = join(built.package, "dist");
  return globSync("**/*.js", { cwd }).map((path) => readFileSync(join(cwd, path), "utf8"));
}

/** The oldest Node, from 20 on, in the PATH; otherwise the current one. */
export async function findOldestNode(): Promise<string> {
  const places = (process.env["PATH"] ?? "").split(delimiter).map((place) => join(place, "node"));
  const versions = await Promise.all(
    places.map(async (place) => ({ place, major: await majorOf(place) })),
  );
  const fit = versions.filter(({ major }) => major >= 20);
  return fit.sort((one, other) => one.major - other.major)[0]?.place ?? process.execPath;
}

/** 0 if it is not a Node. */
async function majorOf(place: string): Promise<number> {
  try {
    const { stdout } = await run(place, ["--version"]);
    return Number(/^v(\d+)\./.exec(stdout)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
