// Every mutation except writing records, by name: the operations that methods of the store send to the writer, whether
// it is in another thread or not. Changes that are the same on every engine are named in ../../sql/methods.ts and by
// the parts of features. The operations of this engine run within the transaction of a group, or `alone` between
// groups, in separate transactions or none.

import type { RequestAct } from "../../group/evaluate-requests.ts";
import type { DeletionStore } from "../../interface/store.ts";
import { changes } from "../../sql/methods.ts";
import { claimDeletions, eraseStep, putBackPseudonyms, verifyErasures } from "../erase/steps.ts";
import { voidAllLeases } from "../erase/void-leases.ts";
import { completeDeletions } from "../erase/complete-exclusively.ts";
import { addToPlan, markPlanning, removePlan } from "../erase/large-plan.ts";
import {
  freezeCheckpoints,
  pinWal,
  releaseCheckpoints,
  beginWal,
  restartWal,
  resumeMark,
  settleWal,
} from "../file/checkpoint-freeze.ts";
import { markClosed, markServed } from "../file/store-file.ts";
import { probeCommit } from "../file/write-probe.ts";
import type { Group } from "./group.ts";

const groupOperations = {
  voidAllLeases,
  claimDeletions,
  markPlanning,
  addToPlan,
  removePlan,
  eraseStep,
  putBackPseudonyms,
  verifyErasures,
  probeCommit,
  /** Answered as soon as the writer is free. */
  ping: (): void => undefined,
};

export const aloneOperations = {
  markServed,
  markClosed,
  resumeMark,
  beginWal,
  restartWal,
  settleWal,
  pinWal,
  freezeCheckpoints,
  releaseCheckpoints,
  completeDeletions,
};

export type AloneName = keyof typeof aloneOperations;
type OperationName = keyof typeof groupOperations | AloneName;

type Operations = typeof groupOperations & typeof aloneOperations;
type OperationArgs<Name extends OperationName> =
  Parameters<Operations[Name]> extends [unknown, ...infer Args] ? Args : [];
export type OperationResult<Name extends OperationName> = ReturnType<Operations[Name]>;

export interface OperationJob {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** Sends an operation to the writer, in whichever thread that is. */
export type PerformOperation = <Name extends OperationName>(
  name: Name,
  ...args: OperationArgs<Name>
) => Promise<OperationResult<Name>>;

/** An operation is sent like any other job. */
export function performBy(writer: {
  readonly submit: (job: OperationJob) => Promise<unknown>;
}): PerformOperation {
  return async (name, ...args) =>
    (await writer.submit({ name, args })) as OperationResult<typeof name>;
}

/** True for an operation that must be the only job of its group. */
export function runsAlone(name: string): name is AloneName {
  return Object.hasOwn(aloneOperations, name);
}

/** The types PerformOperation and bindMethods check the arguments where the store sends them. */
export function performInGroup(group: Group, { name, args }: OperationJob): unknown {
  const change = changes.get(name) ?? group.connection.parts.changes.get(name);
  if (change !== undefined) {
    const result = group.connection.perform(change, ...(args as never[]));
    group.deletionsChanged();
    return result;
  }
  if (!Object.hasOwn(groupOperations, name)) {
    throw new TypeError(`${name} is not an operation that shares a transaction`);
  }
  const operation = groupOperations[name as keyof typeof groupOperations];
  return (operation as (...all: readonly unknown[]) => unknown)(group, ...args);
}

/** Undefined for any other operation. */
export function requestOf({ name, args }: OperationJob): RequestAct | undefined {
  if (name !== "requestDeletion") return undefined;
  const [request, act] = args as Parameters<DeletionStore["requestDeletion"]>;
  return { request, act };
}

/** The organization that sends the operation; empty for operators and the worker. */
export function organizationOf(job: OperationJob): string {
  return requestOf(job)?.request.organizationId ?? "";
}
