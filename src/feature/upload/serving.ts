// Opens the uploads of a serving process: their private folder in the data folder, and a thread for each that is read.
// The next process removes what a killed process leaves (unfinished-files.ts).

import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Worker } from "node:worker_threads";
import { startThread } from "../../basics/thread.ts";
import { noteUnfinished } from "../../data-folder/unfinished-files.ts";
import { valueOf } from "../../settings/config.ts";
import type { OpenService, ServiceParts } from "../feature.ts";
import { uploadBytesMax } from "./rows.ts";
import type { StartUploadThread } from "./run-in-thread.ts";
import type { UploadFolder } from "./upload.ts";
import { Uploads } from "./uploads.ts";

/** Heap limit of the thread: above it the thread ends, and the process continues. */
const heapMebibytesMax = 80;
/** Limit of the young generation; without it V8 would grow it further and keep the memory. */
const youngMebibytesMax = 24;

export async function open(parts: ServiceParts): Promise<OpenService | undefined> {
  const { app, config, log, monotonic, replaced } = parts;
  if (!config.console) return undefined;
  const uploads = new Uploads({
    bytesMax: valueOf(config, uploadBytesMax),
    timestampMin: config.timestampMin,
    now: () => app().now(),
    monotonic,
    onFailure: (error) => log.error({ err: error }, "an upload failed"),
    startThread: (replaced as StartUploadThread | undefined) ?? startUploadThread,
    makeFolder: () => makeFolder(resolve(config.dataDir)),
  });
  // An import delays no stop.
  return { source: uploads, onStop: () => uploads.stopAll(), close: () => uploads.close() };
}

async function makeFolder(dataDir: string): Promise<UploadFolder> {
  const unfinished = await noteUnfinished(dataDir, join(dataDir, "uploads"));
  const { path } = unfinished;
  await mkdir(path, { mode: 0o700 });
  const remove = async (): Promise<void> => {
    await rm(path, { recursive: true, force: true });
    await unfinished[Symbol.asyncDispose]();
  };
  return { path, remove };
}

function startUploadThread(): Worker {
  return startThread(import.meta.url, "upload-thread", {
    resourceLimits: {
      maxOldGenerationSizeMb: heapMebibytesMax,
      maxYoungGenerationSizeMb: youngMebibytesMax,
    },
  });
}
