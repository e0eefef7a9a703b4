// Moves the store that the settings name, and reports which files an operator has to copy. Never prints the URL of the
// target, which may contain a password.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { catchUpLedger } from "../../actions/ledger/keep-ledger.ts";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import { requireRightOf } from "../../actions/operator/operators.ts";
import { openApp, openSource, openTarget } from "../../process/app.ts";
import { noteMoved } from "../../data-folder/moved-store.ts";
import type { Config } from "../../settings/config.ts";
import { sqlitePath } from "../../files/sqlite-path.ts";
import { AppError } from "../../domain/error.ts";
import { rights } from "./rows.ts";
import { type MoveOptions, moveStore } from "./store/copy.ts";
import { StoreError } from "../../store/interface/store-error.ts";

export type Moved = Awaited<ReturnType<typeof move>>;

export interface MoveRun extends Pick<MoveOptions, "onStep" | "stopping"> {
  readonly to: string;
  readonly operator: string;
  /** The operator who needs the right to do this; undefined for the shell of the host. */
  readonly as?: string | undefined;
}

/**
 * Returns the files as absolute paths, without those that do not exist. Throws StoreError and OperatorError, which is
 * `stopped` once anything was copied.
 */
export async function move(config: Config, { to, operator, as, ...options }: MoveRun) {
  await using source = openSource(config);
  const ledger = await updateLedger(config, as);
  await using target = await openTarget(to, config).catch(asOfOption);
  const act = { actor: operator, now: Date.now() };
  const files = {
    storeFile: sqlitePath(config.databaseUrl) ?? "",
    receiptKey: presentFile(config.receiptKeyFile),
    ledger: presentFile(ledger),
  };
  const onEqual = (): void => noteMoved(files.storeFile, { to, at: act.now });
  const report = await moveStore({ source, target }, { ...options, act, onEqual }).catch(asStopped);
  return { ...report, files };
}

/** The URL does not come from the setting that these errors name. */
function asOfOption(error: unknown): never {
  if (!(error instanceof StoreError)) throw error;
  throw new StoreError(error.message.replaceAll("DATABASE_URL", "--to"), { cause: error });
}

function asStopped(error: unknown): never {
  if (error instanceof StoreError || error instanceof OperatorError) throw error;
  // The error of the database rather than of the API.
  const cause = error instanceof AppError ? error.cause : error;
  const message = `The move was interrupted: ${reasonOf(cause)}.`;
  throw new OperatorError("stopped", message, { cause: error });
}

/** Throws StoreError if a replay is needed first. */
async function updateLedger(config: Config, as: string | undefined): Promise<string> {
  await using app = await openApp(config, { role: "command", existing: true, moving: true });
  await requireRightOf(app, as, rights["store.move"]);
  // The source is locked, so nothing is written to the store after this.
  await catchUpLedger(app);
  return app.ledger.path;
}

function presentFile(path: string): string | undefined {
  return existsSync(path) ? resolve(path) : undefined;
}
