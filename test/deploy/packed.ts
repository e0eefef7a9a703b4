// Packs the service from a copy of the checkout, so that tests that pack at the same time do not share the folder of
// the build.

import { execFile, spawnSync } from "node:child_process";
import { cpSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../repository/tree.ts";

const run = promisify(execFile);

/** Path of the package, in `folder`. */
export async function packService(folder: string): Promise<string> {
  const copy = join(folder, "checkout");
  const sources = ["bin", "src", "client/src", "tsconfig.json", "tsconfig.build.json"];
  const others = ["package.json", ".npmrc", "README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"];
  for (const path of [...sources, ...others]) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const words = ["pack", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", words, { cwd: copy, env: ownEnvironment() });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(folder, filename);
}

/** Without what npm passes on to a script that it runs, and with the Node of this process first. */
export function ownEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH: `${dirname(process.execPath)}:${PATH}`, HOME };
}

/** What to say where a program that a test needs is not installed; false where it is. */
export function lacks(program: string): string | false {
  const { error } = spawnSync(program, ["--version"], { stdio: "ignore" });
  return error === undefined ? false : `needs ${program}`;
}
