// The program `sluice`: runs one command line in this process, and sets the exit code.

import { loadTable } from "../process/command-table.ts";
import { exitCode, run } from "./run.ts";

const words = process.argv.slice(2);

/** How long a reader of standard error can delay the end of a process that has nothing else left to do. */
const errorOutputMs = 1_000;

// Nobody is left to be told. The log counts its lines (src/log.ts).
process.stderr.on("error", () => undefined);

// Otherwise Node would open its debugger on a port, to which other users of the machine can connect. `node --inspect`
// still does.
process.on("SIGUSR1", () => undefined);

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The results of a service are not on its standard output.
  if (words[0] === "serve") return;
  // The reader may close the pipe early, as `head` does; that is not a failure.
  if (error.code === "EPIPE") process.exit(exitCode.success);
  process.stderr.write(`sluice: Standard output can't be written: ${error.message}.\n`);
  process.exit(exitCode.failure);
});

process.exitCode = await run(loadTable, words, {
  environment: process.env,
  out: process.stdout,
  err: process.stderr,
});
// Results reach a slow reader completely.
if (process.stdout.writableLength === 0 || words[0] === "serve") {
  setTimeout(() => process.exit(), errorOutputMs).unref();
}
