// A temporary copy of the checkout, in which something is changed. Never changes the checkout itself.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, symlinkSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root } from "../repository/tree.ts";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

const notCopied: ReadonlySet<string> = new Set([".git", "data", "dist", "node_modules"]);

export class TreeCopy {
  readonly folder = makeTempFolder();

  constructor() {
    cpSync(root, this.folder, {
      recursive: true,
      filter: (path) =>
        !relative(root, path)
          .split(sep)
          .some((name) => notCopied.has(name)),
    });
    symlinkSync(join(root, "node_modules"), join(this.folder, "node_modules"));
  }

  /** Runs Node in the copy; `code` is null if it was ended because it took longer. */
  async run(
    words: readonly string[],
    msMax: number,
  ): Promise<{ readonly code: number | null; readonly output: string }> {
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
    // A group of its own, so that everything that it has started can be ended.
    const child = spawn(process.execPath, words, {
      cwd: this.folder,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    }
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), msMax);
    const [code] = (await once(child, "exit")) as [number | null];
    clearTimeout(timer);
    return { code, output };
  }

  remove(): void {
    removeFolder(this.folder);
  }
}
