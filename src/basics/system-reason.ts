// What an error of opening or reading a file says, in words that follow the name of the file.

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "a file is where a folder of its path should be",
  EACCES: "this user may not open it",
};

const calls: ReadonlySet<unknown> = new Set(["open", "read", "stat"]);

/** Undefined for any other error. */
export function systemReasonOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !("syscall" in cause) || !("code" in cause)) return undefined;
  return calls.has(cause.syscall) ? reasons[String(cause.code)] : undefined;
}
