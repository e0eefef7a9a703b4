// Opens the uploads of this process: their private folder in the data folder, and a thread for each that is read. The
// next process removes what a killed process leaves (unfinished-files.ts).

import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Worker } from "node:worker_threads";
import { startThread } from "../../basics/thread.ts";
import type { StartUploadThread } from "./run-in-thread.ts";
import { Uploads } from "./uploads.ts";
import type { UploadTask } from "./messages.ts";
import type { Config } from "../../settings/config.ts";
import type { Logger } from "../../log.ts";
import { noteUnfinished } from "../../data-folder/unfinished-files.ts";

/** Heap limit of the thread: above it the thread ends, and the process continues. */
const heapMebibytesMax = 80;
/** Limit of the young generation; without it V8 would grow it further and keep the memory. */
const youngMebibytesMax = 24;

const folderName = "uploads";

interface OpenUploadsOptions {
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly log: Logger;
  readonly startThread?: StartUploadThread | undefined;
}

export function openUploads(
  {
    dataDir,
    uploadBytesMax,
    timestampMin,
  }: Pick<Config, "dataDir" | "uploadBytesMax" | "timestampMin">,
  { now, monotonic, log, startThread: start = startUploadThread }: OpenUploadsOptions,
): Uploads {
  return new Uploads({
    bytesMax: uploadBytesMax,
    timestampMin,
    now,
    monotonic,
    onFailure: (error) => log.error({ err: error }, "an upload failed"),
    startThread: start,
    makeFolder: async () => {
      const folder = resolve(dataDir);
      const unfinished = await noteUnfinished(folder, join(folder, folderName));
      const { path } = unfinished;
      await mkdir(path, { mode: 0o700 });
      const remove = async (): Promise<void> => {
        await rm(path, { recursive: true, force: true });
        await unfinished[Symbol.asyncDispose]();
      };
      return { path, remove };
    },
  });
}

/** True for the name of the folder of a process. */
export function isUploadFolder(name: string): boolean {
  return /^uploads\.[0-9a-f]{12}\.unfinished$/.test(name);
}

function startUploadThread(task: UploadTask): Worker {
  return startThread(import.meta.url, "upload-thread", {
    workerData: { task },
    resourceLimits: {
      maxOldGenerationSizeMb: heapMebibytesMax,
      maxYoungGenerationSizeMb: youngMebibytesMax,
    },
  });
}
