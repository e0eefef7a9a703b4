// The folder of the uploads of a process, in the data folder.

import { readdirSync } from "node:fs";
import { join } from "node:path";

export function filesUploaded(folder: string): readonly string[] {
  const own = readdirSync(folder).filter(isUploadFolder);
  return own.flatMap((name) => readdirSync(join(folder, name)));
}

export function isUploadFolder(name: string): boolean {
  return /^uploads\.[0-9a-f]{12}\.unfinished$/.test(name);
}
