// Every mutation but the writing of records, by name: what the store's methods ask of the writer, in its thread or not.
// `shared` ones run within a group's transaction; `alone` ones between groups, with transactions of their own or none.

import type { Deletion } from "../../domain/deletion.ts";
import { createToken } from "./access-token.ts";
import { createKey, revokeKey, rotateKey } from "./api-key.ts";
import { claimDeletion } from "./claim.ts";
import { completeDeletion, type Look, type SealedCompletion, verifyErasure } from "./completion.ts";
import { type Connection, transaction } from "./connection.ts";
import { cancelDeletion, postponeDeletion, requestDeletion, voidAllLeases } from "./deletion.ts";
import { eraseStep } from "./erasure.ts";
import { Group } from "./group.ts";
import { placeHold, releaseHold } from "./hold.ts";
import { emptyLog, requireEmptyLog } from "./log-file.ts";
import { changeOrganization, createOrganization } from "./organization.ts";
import { purgeExpired } from "./purge.ts";
import { keepReceiptKey } from "./receipt.ts";
import { reopenDeletions } from "./reopening.ts";
import { findResidue, type Residue, wipeResidue } from "./unallocated.ts";

export const sharedOperations = {
  createOrganization,
  changeOrganization,
  createKey,
  revokeKey,
  rotateKey,
  createToken,
  requestDeletion,
  cancelDeletion,
  postponeDeletion,
  voidAllLeases,
  claimDeletion,
  eraseStep,
  verifyErasure,
  placeHold,
  releaseHold,
  purgeExpired,
  keepReceiptKey,
  reopenDeletions,
  /** Answers when the writer does. */
  ping: (): void => undefined,
};

export const aloneOperations = {
  emptyLog: (connection: Connection): void => emptyLog(connection),
  findResidue: (
    _connection: Connection,
    { descriptor, firstPage }: { readonly descriptor: number; readonly firstPage: number },
  ): Residue => findResidue(descriptor, firstPage),
  completeDeletion: completeAlone,
};

export type SharedName = keyof typeof sharedOperations;
export type AloneName = keyof typeof aloneOperations;
export type OperationName = SharedName | AloneName;

type Operations = typeof sharedOperations & typeof aloneOperations;
export type OperationArgs<Name extends OperationName> = Parameters<Operations[Name]>[1];
export type OperationResult<Name extends OperationName> = ReturnType<Operations[Name]>;

/** Asks the writer, wherever it is. */
export type PerformOperation = <Name extends OperationName>(
  name: Name,
  args: OperationArgs<Name>,
) => Promise<OperationResult<Name>>;

export function isAlone(name: OperationName): name is AloneName {
  return Object.hasOwn(aloneOperations, name);
}

export interface WipingCompletion extends SealedCompletion {
  readonly descriptor: number;
  readonly pages: readonly number[];
}

/** Wipes what erasing left in the file, looks again and completes, while nobody else can write. */
function completeAlone(connection: Connection, args: WipingCompletion): Look | Deletion {
  emptyLog(connection);
  return transaction(connection, () => {
    requireEmptyLog(connection);
    wipeResidue(args.descriptor, args.pages);
    // Pages in memory still hold what was just wiped, and would bring it back when they are next written.
    connection.exec("PRAGMA shrink_memory");
    const group = new Group(connection);
    const outcome = completeDeletion(group, args);
    group.finish();
    return outcome;
  });
}
