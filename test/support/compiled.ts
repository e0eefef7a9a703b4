// What Node has compiled is kept for all processes of a run, or of all runs that are given one folder: every server
// loads the same code, and compiling that is most of what a start costs.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const cacheSetting = "NODE_COMPILE_CACHE";

/** What this command of the checkout needs of the environment of this process, and nothing else. */
export function programEnvironment(command = ""): Record<string, string> {
  const { PATH = "", [cacheSetting]: shared = "" } = process.env;
  // As bin/sluice.js does: V8 takes nothing that was compiled with other flags than a server has.
  const isApart = shared !== "" && command === "serve";
  return { PATH, [cacheSetting]: isApart ? join(shared, command) : shared };
}

/** From now on processes that are started share it, until this one ends. */
export function shareCompiled(): void {
  if (process.env[cacheSetting] !== undefined) return;
  const compiled = mkdtempSync(join(tmpdir(), "sluice-compiled-"));
  process.env[cacheSetting] = compiled;
  process.once("exit", () => rmSync(compiled, { recursive: true, force: true }));
}
