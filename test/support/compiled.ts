// What Node has compiled is kept for all processes of a run: every server that it starts loads the same code, and
// compiling that is most of what a start costs.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a program of the checkout needs of the environment of this process, and nothing else. */
export function programEnvironment(): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}

/** From now on processes that are started share it, until this one ends. */
export function shareCompiled(): void {
  const compiled = mkdtempSync(join(tmpdir(), "sluice-compiled-"));
  process.env["NODE_COMPILE_CACHE"] = compiled;
  process.once("exit", () => rmSync(compiled, { recursive: true, force: true }));
}
