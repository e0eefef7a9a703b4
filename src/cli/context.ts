// What commands get from a real process: its environment, its streams, who runs it, and the store that the environment names.

import { readConfig } from "../config.ts";
import { isReservedName, readOperatorName } from "../operator-name.ts";
import { OperatorError, UsageError } from "../actions/operator-error.ts";
import type { Context, Output } from "./command.ts";

export interface ProcessContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  readonly err: Output;
  /** For tests. */
  readonly now?: () => number;
  readonly operator?: string;
}

export interface ContextOptions {
  readonly json: boolean;
  /** The value of --as. */
  readonly as: string | undefined;
}

export function makeContext(processContext: ProcessContext, { json, as }: ContextOptions): Context {
  const { environment, out, err, now } = processContext;
  const operator = as ?? processContext.operator ?? readOperatorName();
  return {
    environment,
    out,
    err,
    json,
    operator,
    withApp: async (work, { existing = true, restoring = false } = {}) => {
      const config = readConfig(environment);
      // Loaded only now, so that help and mistakes in typing are answered at once.
      const { openApp } = await import("../app.ts");
      const options = {
        role: "command",
        existing,
        restoring,
        operator,
        onLeftover: (path: string) => {
          if (!json) err.write(`Removed ${path}, which a command that was killed had left.\n`);
        },
        ...(now === undefined ? {} : { now }),
      } as const;
      const app = await openApp(config, options).catch((cause: unknown) => {
        throw new OperatorError("store", cause instanceof Error ? cause.message : String(cause), {
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

const nameForm = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._@+-]{0,99}$/u;

/** Throws UsageError for a name that the audit trail could not tell from something else. */
export function readOperator(given: string): string {
  if (isReservedName(given)) {
    throw new UsageError(
      `"${given}" is not the name of a person: the audit trail has it for something else.`,
    );
  }
  if (nameForm.test(given) && given.isWellFormed()) return given;
  throw new UsageError(
    "It must be a name of 1 to 100 letters, digits, spaces and ._@+- that begins with a letter or a digit.",
  );
}
