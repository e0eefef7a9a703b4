// A temporary copy of the checkout, in which one fault after another is planted. Never changes the checkout itself.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root } from "../repository/tree.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { type Mutant, plant, type TestChoice } from "./mutant.ts";

/** A fault can make tests wait forever; then it is found. */
const testMsMax = 60_000;

const notCopied: ReadonlySet<string> = new Set([".git", "data", "dist", "node_modules"]);

export class TreeCopy {
  readonly #folder = makeTempFolder();

  constructor() {
    cpSync(root, this.#folder, {
      recursive: true,
      filter: (path) =>
        !relative(root, path)
          .split(sep)
          .some((name) => notCopied.has(name)),
    });
    symlinkSync(join(root, "node_modules"), join(this.#folder, "node_modules"));
  }

  /** Runs `work` while the fault is planted. */
  async with<Result>(mutant: Mutant, work: () => Promise<Result>): Promise<Result> {
    const path = join(this.#folder, mutant.file);
    const before = readFileSync(path, "utf8");
    writeFileSync(path, plant(before, mutant));
    try {
      return await work();
    } finally {
      writeFileSync(path, before);
    }
  }

  /** True if the tests pass. */
  async passes({ file, titles }: TestChoice): Promise<boolean> {
    const chosen = titles === undefined ? [] : [`--test-name-pattern=${RegExp.escape(titles)}`];
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
    // A group of its own, so that everything that the tests have started can be ended.
    const child = spawn(process.execPath, ["--test", ...chosen, file], {
      cwd: this.#folder,
      env: environment,
      stdio: "ignore",
      detached: true,
    });
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), testMsMax);
    const [code] = (await once(child, "exit")) as [number | null];
    clearTimeout(timer);
    return code === 0;
  }

  remove(): void {
    removeFolder(this.#folder);
  }
}
