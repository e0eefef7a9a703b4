// The files beside the input of an import after a power cut: what a name shows was synced before it got that name, so
// an interrupted import finds a complete state, and every refused row that the state counts.

import assert from "node:assert/strict";
import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { RefusedFile } from "../../../../src/feature/import/refused-file.ts";
import { StateFile } from "../../../../src/feature/import/state-file.ts";
import { makeTempFolder } from "../../../support/temp-folder.ts";

function nameOf(descriptor: number): string {
  const path = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
  return basename(path).replace(/\.[0-9a-f]{12}\./, ".");
}

/** Reports each sync, rename and link, by the names of the files. */
function watchDisk(test: TestContext): readonly string[] {
  const seen: string[] = [];
  const { fsyncSync, fdatasyncSync, renameSync, linkSync } = fs;
  const { open, rename } = fs.promises;
  const restore = (): void => {
    Object.assign(fs, { fsyncSync, fdatasyncSync, renameSync, linkSync });
    Object.assign(fs.promises, { open, rename });
    syncBuiltinESMExports();
  };
  test.after(restore);
  Object.assign(fs, {
    fsyncSync: (descriptor: number) => {
      seen.push(`sync ${nameOf(descriptor)}`);
      fsyncSync(descriptor);
    },
    fdatasyncSync: (descriptor: number) => {
      seen.push(`sync ${nameOf(descriptor)}`);
      fdatasyncSync(descriptor);
    },
    renameSync: (from: string, to: string) => {
      seen.push(`name ${basename(to)}`);
      renameSync(from, to);
    },
    linkSync: (from: string, to: string) => {
      seen.push(`name ${basename(to)}`);
      linkSync(from, to);
    },
  });
  Object.assign(fs.promises, {
    open: async (...given: Parameters<typeof open>) => watchFile(await open(...given), seen),
    rename: async (from: string, to: string) => {
      seen.push(`name ${basename(to)}`);
      await rename(from, to);
    },
  });
  syncBuiltinESMExports();
  return seen;
}

function watchFile(file: FileHandle, seen: string[]): FileHandle {
  const sync = file.sync.bind(file);
  return Object.assign(file, {
    sync: async () => {
      seen.push(`sync ${nameOf(file.fd)}`);
      await sync();
    },
  });
}

describe("an import on a machine without power", { skip: process.platform !== "linux" }, () => {
  it("has a state that is complete, and that counts only refused rows that are there", async (test) => {
    const folder = makeTempFolder();
    const seen = watchDisk(test);
    const path = join(folder, "refused");
    const state = new StateFile(join(folder, "state"), { input: "input", settings: "settings" });
    const refused = new RefusedFile({ path, columns: ["a"], bytes: 0 });
    const row = { number: 1, cells: ["x"] };
    refused.append([{ row, code: undefined, message: "is wrong", errors: [] }]);
    refused.close();
    await state.complete([1, 1], { written: 0, unchanged: 0, refused: 1 }, refused.bytes);
    await state.save();
    const saved = ["sync state.next", "name state", `sync ${basename(folder)}`];
    assert.deepEqual(seen, [...saved, "sync refused", ...saved]);
  });
});
