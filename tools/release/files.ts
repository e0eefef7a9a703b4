// Reads the files of a checkout and runs programs in it, without what npm passes on to the scripts that it starts.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const runFile = promisify(execFile);
const outputBytesMax = 64 * 1_024 * 1_024;

export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly repository?: { readonly type?: string; readonly url?: string };
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly main?: string;
  readonly types?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: unknown;
}

export function readText(root: string, path: string): string {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${path} can't be read (${code}).`, { cause: error });
  }
}

export function readJson(root: string, path: string): object {
  const text = readText(root, path);
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

export function readManifest(root: string, folder: string): Manifest {
  return readJson(root, join(folder, "package.json"));
}

export interface LockedPackage {
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

export interface Lock {
  readonly lockfileVersion?: number;
  /** By path; the root is "". */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export function readLock(root: string): Lock {
  const lock = readJson(root, "package-lock.json") as Partial<Lock>;
  if (lock.packages === undefined) throw new Error("package-lock.json: lists no packages.");
  return { ...lock, packages: lock.packages };
}

/** Resolves to the standard output. Throws with the standard error of a program that fails. */
export async function run(cwd: string, ...words: readonly string[]): Promise<string> {
  const [program = "", ...rest] = words;
  const { PATH = "", HOME = "" } = process.env;
  // The Node of this process first: it is the one that the checkout needs.
  const env = { PATH: `${dirname(process.execPath)}:${PATH}`, HOME };
  try {
    return (await runFile(program, rest, { cwd, env, maxBuffer: outputBytesMax })).stdout;
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    if (code === "ENOENT") throw new Error(`${program} is not installed.`, { cause: error });
    const reason = stderr.trim() === "" ? String(error) : stderr.trim();
    throw new Error(`${words.join(" ")}: ${reason}`, { cause: error });
  }
}
