// Connects a move with the store that the settings name, and says what an operator has to take along. Never prints the URL of
// the target, which may hold a password.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { catchUpLedger } from "./actions/keep-ledger.ts";
import { openApp } from "./app.ts";
import { type Config, connectionsOf } from "./config.ts";
import { sqlitePath } from "./files/sqlite-path.ts";
import { AppError } from "./domain/error.ts";
import { MoveStopped } from "./domain/move-step.ts";
import { type MoveOptions, type MoveReport, moveStore } from "./store/move/move-store.ts";
import { openMoveSource, openMoveTarget } from "./store/open-store.ts";
import { StoreError } from "./store/store-error.ts";

export interface Moved extends MoveReport {
  /** Absolute paths. */
  readonly files: {
    /** The embedded store, which is left as it is. */
    readonly storeFile: string;
    /** What the store needs and does not hold; undefined where there is none yet. */
    readonly receiptKey: string | undefined;
    readonly ledger: string | undefined;
  };
}

export interface MoveRun extends Pick<MoveOptions, "onStep" | "stopping"> {
  readonly to: string;
  /** Who does it, for the audit trail. */
  readonly operator: string;
}

/** Throws StoreError and MoveStopped. */
export async function move(config: Config, { to, operator, ...options }: MoveRun): Promise<Moved> {
  const source = openMoveSource(config.databaseUrl);
  try {
    const ledger = await bringLedgerUp(config);
    const target = await openMoveTarget(to, connectionsOf(config));
    try {
      const act = { actor: operator, now: Date.now() };
      const report = await moveStore({ source, target }, { ...options, act }).catch(asStopped);
      return { ...report, files: findFiles(config, ledger) };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** The server went away, or the disk is full: nothing that the same move could not go on from. */
function asStopped(error: unknown): never {
  if (error instanceof StoreError || error instanceof MoveStopped) throw error;
  // What the database said, rather than what the API would say of it.
  const told = error instanceof AppError ? error.cause : error;
  const why = told instanceof Error ? told.message : String(told);
  throw new MoveStopped(`The move was interrupted: ${why}.`, { cause: error });
}

/** Gives its path. What a restore brought back has to be erased before it is copied. */
async function bringLedgerUp(config: Config): Promise<string> {
  const app = await openApp(config, { role: "command", existing: true });
  try {
    // Nothing can be written to the store by now.
    await catchUpLedger(app);
    return app.ledger.path;
  } finally {
    await app.close();
  }
}

function findFiles(config: Config, ledger: string): Moved["files"] {
  return {
    storeFile: sqlitePath(config.databaseUrl) ?? "",
    receiptKey: presentFile(config.receiptKeyFile),
    ledger: presentFile(ledger),
  };
}

function presentFile(path: string): string | undefined {
  return existsSync(path) ? resolve(path) : undefined;
}
