// The folder of the uploads of a process, in the data folder.

export function isUploadFolder(name: string): boolean {
  return /^uploads\.[0-9a-f]{12}\.unfinished$/.test(name);
}
