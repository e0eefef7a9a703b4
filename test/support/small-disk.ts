// A small disk: a separate file system in memory, which only the processes that are started on it
// see (mount_namespaces(7)). Filled and freed from outside, through /proc. Linux only.

import { spawnSync } from "node:child_process";
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Whether this user can create one on this machine. */
export function hasSmallDisks(): boolean {
  const [program = "", ...words] = onSmallDisk("/mnt", { mebibytes: 1 });
  return spawnSync(program, [...words, "true"], { stdio: "ignore" }).status === 0;
}

/** The command prefix that gives a program an empty disk of that size at `folder`. */
export function onSmallDisk(
  folder: string,
  { mebibytes }: { readonly mebibytes: number },
): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  const mount = `mount -t tmpfs -o size=${mebibytes}m,mode=711 tmpfs "$0" && exec "$@"`;
  return ["unshare", ...(isRoot ? [] : ["-Ur"]), "-m", "sh", "-c", mount, folder];
}

/**
 * Fills the rest of the disk that a process sees at `folder`; returns a function that frees it
 * again.
 */
export function fillDisk(pid: number | undefined, folder: string): () => void {
  const path = join(`/proc/${pid}/root`, folder, "filler");
  const file = openSync(path, "w");
  for (const bytes of [1_024 * 1_024, 4_096, 1]) {
    const block = Buffer.alloc(bytes, 1);
    try {
      for (;;) writeSync(file, block);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  }
  fsyncSync(file);
  closeSync(file);
  return () => rmSync(path);
}
