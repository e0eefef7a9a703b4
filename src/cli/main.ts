// The program `sluice`: runs one command line in this process, and sets the exit code.

import { run } from "./run.ts";

// The reader of the output may close the pipe early, as `head` does; that is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  out: process.stdout,
  err: process.stderr,
});
