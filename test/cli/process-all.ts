// Processes the deletions that are due in the store of a command line, as a serving process would.

import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import type { CommandLine } from "./command-line.ts";

export function processAll(line: CommandLine): Promise<void> {
  return line.beside(async (app) => {
    const stopping = new AbortController().signal;
    while ((await processDeletions(app, { claimant: "test", stopping })).length > 0);
  });
}
