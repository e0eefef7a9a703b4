// Commands that operators run beside a server that is under load, is killed, and starts again. Each has to succeed:
// none of them may take what the server appends meanwhile for damage.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createKey } from "../../src/actions/access/keys.ts";
import { runProgram } from "../cli/program.ts";
import { makeRandom } from "../support/random.ts";
import { operate } from "../support/server.ts";
import { removeFolder } from "../support/temp-folder.ts";
import type { Site } from "./site.ts";

interface RunningCommands {
  /** Returns how many commands were run, when the last one has ended. */
  stop(): Promise<number>;
}

/** The first kill of a run that may have commands beside it: tests kill fewer, because each command is a process. */
export const firstBeside = 3;

/** `backup`: whether the engine can make one. */
export function startCommands(
  site: Site,
  { seed, backup }: { readonly seed: number; readonly backup: boolean },
): RunningCommands {
  const folder = mkdtempSync(join(tmpdir(), "sluice-crash-commands-"));
  const random = makeRandom(seed);
  const stopping = new AbortController();
  let count = 0;
  const kinds = [["key", "list"], ["deletion", "list"], ["organization", "list"], ["check"]];
  const run = async () => {
    while (!stopping.signal.aborted) {
      count += 1;
      const copy = ["backup", join(folder, `${count}.db`)];
      const words = random.pick(backup ? [...kinds, copy] : kinds);
      const { code, out, err } = await runProgram(words, site.environment);
      if (code === 0) continue;
      site.ledger.findings.push(
        `beside the server, ${words.join(" ")} ended with ${code}: ${out}${err}`,
      );
    }
  };
  const change = async () => {
    const organizationId = site.senders[0]?.customer.organizationId ?? "";
    while (!stopping.signal.aborted) {
      count += 1;
      // A command's process would take longer to start.
      await sleep(random.integer(0, 100));
      await operate(site.environment, (app) => createKey(app, { organizationId })).catch(
        (error: unknown) => site.ledger.findings.push(`beside the server: ${String(error)}`),
      );
    }
  };
  // Processes, and what opens the store as they do, appends to the ledger, and closes it.
  const all = Promise.all([run(), change()]);
  return {
    stop: async () => {
      stopping.abort();
      await all;
      removeFolder(folder);
      return count;
    },
  };
}
