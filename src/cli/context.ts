// The context of a command in a process: its environment and streams, who runs it, and the store that the environment
// names.

import type { App } from "../actions/app.ts";
import { readConfig } from "../settings/config.ts";
import { findActiveOperator } from "../actions/operator/operators.ts";
import { OperatorError } from "../actions/operator/operator-error.ts";
import { actAs, requireAnyRight, Viewer } from "../actions/operator/viewer.ts";
import type { OperatorRight } from "../domain/operator-right.ts";
import { readOperatorName } from "../process/operator-name.ts";
import type { CommandTable, Context, Output } from "./command.ts";
import { findMissingStore } from "./new-store.ts";

export interface ProcessContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  readonly err: Output;
  readonly now?: () => number;
  /** Tests set what commands act on instead. */
  readonly wrapApp?: (app: App) => App;
  readonly operator?: string;
}

export interface ContextOptions {
  readonly json: boolean;
  readonly as: string | undefined;
  readonly table: CommandTable;
  /** This operator needs one of them, if there are any. */
  readonly rights?: readonly OperatorRight[];
}

export function makeContext(
  processContext: ProcessContext,
  { json, as, table, rights = [] }: ContextOptions,
): Context {
  const { environment, out, err, now, wrapApp = (app) => app } = processContext;
  const onNotice = (text: string) => void err.write(`sluice: ${text}\n`);
  const operator = as ?? processContext.operator ?? readOperatorName();
  const onLeftover = (path: string): void => {
    if (!json) err.write(`Removed ${path}, left behind by a command that was killed.\n`);
  };
  return {
    environment,
    out,
    err,
    json,
    operator,
    as,
    table,
    startService: async (settings) => {
      const { serve } = await import("../process/serve.ts");
      return await serve(readConfig(settings, table.settings));
    },
    withApp: async (work, { create = false, restoring = false, writesBeside = false } = {}) => {
      const config = readConfig(environment, table.settings);
      const missing = create && !json ? findMissingStore({ environment }) : undefined;
      // Imported only here, so that help and usage errors appear at once.
      const { openApp } = await import("../process/app.ts");
      const clock = now === undefined ? {} : { now };
      const options = {
        role: "command",
        // A new store has no operators.
        existing: !create || as !== undefined,
        restoring,
        writesBeside,
        operator,
        ...clock,
      } as const;
      await using opened = await openApp(config, { ...options, onLeftover, onNotice }).catch(
        (cause: unknown) => {
          throw OperatorError.from("store", cause);
        },
      );
      if (missing !== undefined) err.write(`Created the store ${missing}.\n`);
      const app = wrapApp({ ...opened, viewer: new Viewer(opened) });
      if (as === undefined) return await work(app);
      const own = actAs(app, await findActiveOperator(app, as));
      requireAnyRight(own, rights);
      return await work(own);
    },
  };
}
