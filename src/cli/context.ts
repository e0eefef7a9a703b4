// What commands get from a real process: its environment, its streams, and the store that the environment names.

import { readConfig } from "../config.ts";
import { CliError } from "./cli-error.ts";
import type { Context, Output } from "./command.ts";

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  readonly err: Output;
  /** For tests. */
  readonly now?: () => number;
}

export function makeContext(surroundings: Surroundings, json: boolean): Context {
  const { environment, out, err, now } = surroundings;
  return {
    environment,
    out,
    err,
    json,
    withApp: async (work, { existing = true } = {}) => {
      const config = readConfig(environment);
      // Loaded only now, so that help and mistakes in typing are answered at once.
      const { openApp } = await import("../app.ts");
      const options = { role: "command", existing, ...(now === undefined ? {} : { now }) } as const;
      const app = await openApp(config, options).catch((cause: unknown) => {
        throw new CliError("store", cause instanceof Error ? cause.message : String(cause), {
          cause,
        });
      });
      try {
        return await work(app);
      } finally {
        await app.close();
      }
    },
  };
}
