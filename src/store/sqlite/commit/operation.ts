// Every mutation but the writing of records, by name: what the store's methods ask of the writer, in its thread or not.
// `shared` ones run within a group's transaction; `alone` ones between groups, with transactions of their own or none.

import type { Act } from "../../act.ts";
import { createToken } from "../../sql/access-token.ts";
import { createKey, revokeKey, rotateKey } from "../../sql/api-key.ts";
import { auditAct } from "../../sql/audit.ts";
import { postponeDeletion } from "../../sql/deletion.ts";
import { placeHold, releaseHold } from "../../sql/hold.ts";
import { markLedger } from "../../sql/ledger-mark.ts";
import { changeOrganization, createOrganization } from "../../sql/organization.ts";
import { keepReceiptKey } from "../../sql/receipt.ts";
import {
  beginReplay,
  finishReplay,
  queueReplay,
  replaceHolds,
  startReplay,
  takeOver,
} from "../../sql/replay.ts";
import type { Statements } from "../../sql/statements.ts";
import type { AuditNote } from "../../trail.ts";
import { claimDeletion } from "../erase/claim.ts";
import { completeDeletions } from "../erase/complete-alone.ts";
import { verifyErasure } from "../erase/verification.ts";
import type { Connection } from "../connection.ts";
import { cancelDeletion, requestDeletion, voidAllLeases } from "../deletion.ts";
import { eraseStep } from "../erase/erasure.ts";
import { freezeCheckpoints, pinWal, releaseCheckpoints } from "../file/checkpoint-freeze.ts";
import { type VacuumResult, vacuumPages } from "../file/incremental-vacuum.ts";
import { endCheckpoint } from "../file/wal-checkpoint.ts";
import type { Group } from "./group.ts";
import { addToPlan, beginPlanned, postponePlan, removePlan } from "../erase/large-plan.ts";
import { purgeExpired } from "../purge.ts";
import { reopenDeletions } from "../replay.ts";
import { probeCommit } from "../file/write-probe.ts";

/** What is the same on every engine. */
function onConnection<Args, Result>(work: (args: Args) => Statements<Result>) {
  return ({ connection }: Group, args: Args): Result => connection.perform(work, args);
}

function noteAct(
  { connection }: Group,
  { note, act }: { readonly note: AuditNote; readonly act: Act },
): void {
  connection.perform(auditAct, note, act);
}

export const sharedOperations = {
  createOrganization: onConnection(createOrganization),
  changeOrganization: onConnection(changeOrganization),
  createKey: onConnection(createKey),
  revokeKey: onConnection(revokeKey),
  rotateKey: onConnection(rotateKey),
  createToken: onConnection(createToken),
  requestDeletion,
  cancelDeletion,
  postponeDeletion: onConnection(postponeDeletion),
  voidAllLeases,
  claimDeletion,
  addToPlan,
  beginPlanned,
  postponePlan,
  removePlan,
  eraseStep,
  verifyErasure,
  placeHold: onConnection(placeHold),
  releaseHold: onConnection(releaseHold),
  purgeExpired,
  keepReceiptKey: onConnection(keepReceiptKey),
  noteAct,
  beginReplay: onConnection(beginReplay),
  queueReplay: onConnection(queueReplay),
  replaceHolds: onConnection(replaceHolds),
  startReplay: onConnection(startReplay),
  takeOver: onConnection(takeOver),
  reopenDeletions,
  finishReplay: onConnection(finishReplay),
  markLedger: onConnection(markLedger),
  probeCommit,
  /** Answers when the writer does. */
  ping: (): void => undefined,
};

export const aloneOperations = {
  endCheckpoint: (connection: Connection): void => endCheckpoint(connection),
  pinWal: (connection: Connection): void => pinWal(connection),
  freezeCheckpoints,
  releaseCheckpoints: (connection: Connection): void => releaseCheckpoints(connection),
  completeDeletions,
  vacuumPages: (connection: Connection): VacuumResult => vacuumPages(connection),
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

/** True for an operation that has to be the only job of its group. */
export function runsAlone(name: OperationName): name is AloneName {
  return Object.hasOwn(aloneOperations, name);
}

/** The organization that asks for it; empty for what operators and the worker ask for. */
export function organizationOf({ args }: { readonly args: unknown }): string {
  const request: unknown =
    typeof args === "object" && args !== null && "request" in args ? args.request : undefined;
  const isRequest = typeof request === "object" && request !== null && "organizationId" in request;
  return isRequest && typeof request.organizationId === "string" ? request.organizationId : "";
}
