// Metrics of the data folder: its size, and the room that its file system has left. Reads no file.

import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Registry } from "./registry.ts";

/** How many files are read; a store has only a few. */
const filesMax = 1_000;

export function registerDataFolder(registry: Registry, folder: string): void {
  let figures = { size: 0, free: 0, total: 0 };
  // The last values remain if no descriptor is free.
  registry.onSnapshot(async () => (figures = await readFigures(folder).catch(() => figures)));
  registry.observe("gauge", {
    sluice_data_folder_bytes: ["Size of the files in DATA_DIR.", () => figures.size],
    sluice_data_filesystem_free_bytes: [
      "Free space of the file system of DATA_DIR.",
      () => figures.free,
    ],
    sluice_data_filesystem_size_bytes: [
      "Size of the file system of DATA_DIR.",
      () => figures.total,
    ],
  });
}

async function readFigures(folder: string) {
  const { bavail, blocks, bsize } = await statfs(folder);
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).slice(0, filesMax);
  let size = 0;
  for (const { parentPath, name } of files) {
    // A file may be removed meanwhile.
    size += (await stat(join(parentPath, name)).catch(() => undefined))?.size ?? 0;
  }
  return { size, free: bavail * bsize, total: blocks * bsize };
}
