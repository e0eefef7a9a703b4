// Backs up, restores and replays the store that the settings name. docs/decisions describes the steps of a restore, and
// the state that a crash between two steps leaves.

import { basename, resolve } from "node:path";
import { actOf, type App } from "../actions/app.ts";
import { catchUpLedger, wasRolledBack } from "../actions/ledger/keep-ledger.ts";
import { requireRightOf } from "../actions/operator/operators.ts";
import { OperatorError, reasonOf } from "../actions/operator/operator-error.ts";
import { needsReplay, prepareReplay } from "../actions/ledger/prepare-replay.ts";
import type { LedgerSource } from "../actions/ledger/read-ledgers.ts";
import { keepReceiptKey } from "../actions/receipt/receipt-keys.ts";
import { openApp } from "./app.ts";
import type { Config } from "../settings/config.ts";
import { sqlitePath } from "../files/sqlite-path.ts";
import { isPresent, requireReadable, statOf } from "../files/present.ts";
import { refuseMoved } from "../data-folder/moved-store.ts";
import { makeKeyReader } from "../data-folder/receipt-key.ts";
import { readLedgerParts } from "../store/ledger/ledger-reader.ts";
import { backUpStore, copyBackup, refuseBackup } from "../store/copy-store.ts";
import { StoreError } from "../store/interface/store-error.ts";
import { noteUnfinished } from "../data-folder/unfinished-files.ts";
import { sluice } from "../basics/program-name.ts";

export interface BackupRun {
  readonly file: string;
  readonly operator: string | undefined;
  /** The operator who needs the right to do this; undefined for the shell of the host. */
  readonly as: string | undefined;
  readonly onProgress: (done: number, all: number) => void;
}

/** Returns the size in bytes. Writes to the audit trail before anything is copied. Throws StoreError. */
export async function backUp(config: Config, run: BackupRun): Promise<number> {
  const file = resolve(run.file);
  refuseBackup(config.databaseUrl, file);
  await withApp(config, { operator: run.operator }, async (app) => {
    await requireRightOf(app, run.as, "store.backup");
    const { storeId } = await app.store.receiptHead();
    const act = actOf(app);
    const about = { organizationId: undefined, subject: storeId, detail: { file: basename(file) } };
    await app.store.trail.note({ ...about, action: "store.backup" }, act);
  });
  await using unfinished = await noteUnfinished(config.dataDir, file);
  const { onProgress } = run;
  return await backUpStore(config.databaseUrl, { file, unfinished: unfinished.path, onProgress });
}

export interface RestoreRun {
  readonly file: string;
  readonly replace: boolean;
  /** Whether the file may be that of a store that was copied without its WAL. */
  readonly incomplete?: boolean;
  readonly sources: readonly LedgerSource[];
  readonly operator: string | undefined;
  /** The operator who needs the right to do this; undefined for the shell of the host. */
  readonly as?: string | undefined;
  /** Called with what a person should know, in sentences. */
  readonly warn: (text: string) => void;
}

/**
 * Replaces the store by the backup, in which everything that must be replayed has been stored. Before that, the ledger
 * is brought up to date with the replaced store. The replaced store says whether an operator may do this, or the backup
 * if no store can be read. Throws StoreError and OperatorError.
 */
export async function restoreBackup(config: Config, run: RestoreRun): Promise<void> {
  const { file, replace, incomplete = false, sources, operator, as, warn } = run;
  refuseMoved(config);
  const wasRead = await updateLedger(config, run);
  using copy = copyBackup(config.databaseUrl, { file, replace, incomplete });
  // Nobody serves the copy; the replay is only prepared in it.
  const beside = { ...config, databaseUrl: copy.databaseUrl };
  await withApp(beside, { operator, restoring: true }, async (app) => {
    if (!wasRead) await requireRightOf(app, as, "store.restore");
    if (sources.length === 0 && (await app.ledger.state()).ledgerId === undefined) {
      warn(
        `There is no ledger of deletions in ${config.dataDir}: records that were erased after the backup may be there again. ` +
          `If there is a copy of the ledger, run: ${sluice} deletion replay --ledger FILE`,
      );
    }
    await prepareReplay(app, { sources, backup: basename(file) });
  });
  copy.putInPlace();
}

/** False if there is no store that can be read. */
async function updateLedger(config: Config, { operator, as, warn }: RestoreRun): Promise<boolean> {
  const path = sqlitePath(config.databaseUrl);
  if (path === undefined || !isPresent(path, "The store")) return false;
  try {
    await withApp(config, { operator, restoring: true }, async (app) => {
      await requireRightOf(app, as, "store.restore");
      if (!(await wasRolledBack(app))) await catchUpLedger(app);
    });
    return true;
  } catch (error) {
    if (error instanceof OperatorError && isAboutOperator(error)) throw error;
    warn(`The store can't be read, and is replaced anyway: ${reasonOf(error)}`);
    return false;
  }
}

function isAboutOperator({ errorName }: OperatorError): boolean {
  return ["not_permitted", "no_such_operator", "operator_disabled"].includes(errorName);
}

export interface ReplayRun<Result> {
  readonly sources: readonly LedgerSource[];
  /** True if an earlier state was put back, even if the ledgers don't show it. */
  readonly restored?: boolean | undefined;
  readonly operator: string | undefined;
  /** The operator who needs the right to do this; undefined for the shell of the host, and as part of a restore. */
  readonly as?: string | undefined;
  /** Called with a store that nobody else serves. */
  readonly replay: (app: App) => Promise<Result>;
}

/** Undefined if there is nothing to replay; then nothing is changed, and the store may be in use. Throws StoreError. */
export async function replayIfNeeded<Result>(
  config: Config,
  { sources, restored = false, operator, as, replay }: ReplayRun<Result>,
): Promise<Result | undefined> {
  const isNeeded = await withApp(config, { operator, restoring: true }, async (app) => {
    await requireRightOf(app, as, "deletion.replay");
    return restored || needsReplay(app, sources);
  });
  if (!isNeeded) return undefined;
  return withApp(config, { operator, restoring: true, role: "replay" }, async (app) => {
    const result = await replay(app);
    // If the old key is lost, the heads in the ledger are signed with a new one, which `check` has to know.
    await keepReceiptKey(app, makeKeyReader(config)());
    return result;
  });
}

interface Opening {
  readonly operator: string | undefined;
  readonly restoring?: boolean;
  readonly role?: "command" | "replay";
}

async function withApp<Result>(
  config: Config,
  { operator, restoring = false, role = "command" }: Opening,
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  const named = operator === undefined ? {} : { operator };
  await using app = await openApp(config, { role, restoring, existing: true, ...named });
  return await work(app);
}

/**
 * A ledger of another host, or a file of receipts. Throws StoreError if the file does not exist, so that a mistyped
 * name is not taken for an empty ledger, and FileError if this user may not read it.
 */
export function readLedger(path: string): LedgerSource {
  if (statOf(path, "The ledger")?.isFile() !== true) {
    throw new StoreError(`There is no file ${path} to read deletions from. Check --ledger.`);
  }
  requireReadable(path, "The ledger");
  return { name: path, read: () => readLedgerParts(path, "other") };
}
