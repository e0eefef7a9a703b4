// The exit codes of the program with their meanings, for the help and the documentation.

export const exitCode = { success: 0, failure: 1, usage: 2, finding: 3 } as const;

export const exitCodes: Readonly<Record<string, string>> = {
  0: "success",
  1: "failure: an error; what was asked could not be done, or not completely",
  2: "usage error: the command line was wrong, and nothing was done",
  3: "done, with a finding: of `check`, a receipt, trail or file that is not valid, a row that was refused, a deletion that remains",
  129: "ended at once by a second SIGHUP",
  130: "ended at once by a second Ctrl-C (SIGINT)",
  143: "ended at once by a second SIGTERM",
};
