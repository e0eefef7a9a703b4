// The program `sluice`: runs the command that was typed, in this process, and sets its exit code.

import { run } from "./run.ts";

// Whoever reads our output may stop reading, as `head` does; that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  out: process.stdout,
  err: process.stderr,
});
