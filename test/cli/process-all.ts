// Processes the deletions that are due in the store of a command line, as a serving process would.

import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import { operate } from "../support/server.ts";
import type { CommandLine } from "./command-line.ts";

export function processAll({ environment }: CommandLine, now = Date.now): Promise<void> {
  return operate(environment, async (opened) => {
    const app = { ...opened, now };
    const stopping = new AbortController().signal;
    while ((await processDeletions(app, { claimant: "test", stopping })).length > 0);
  });
}
