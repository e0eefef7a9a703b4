// What keeps a plan from being processed, in the transaction that writes it: a legal hold or a retention floor.

import { type ErasurePlan, type NodeKey, parseNodeKey } from "../../../domain/deletion/erasure.ts";
import type { RetentionFloor } from "../../../domain/retention/floor.ts";
import { listFloors } from "../../sql/floor.ts";
import {
  findFloorObstacle,
  findHoldObstacle,
  findNamingObstacle,
  isKeptSilently,
  type Obstacle,
  type Planning,
  toKey,
} from "../../sql/plan.ts";
import { findRecords, lockRecords } from "../commit/record.ts";
import { Pace, partsOf } from "../pace.ts";
import type { Transaction } from "../transaction.ts";

/** The first hold, or else the floor that ends last. */
export async function findObstacle(
  transaction: Transaction,
  { erase, redact }: ErasurePlan,
  planning: Planning,
): Promise<Obstacle | undefined> {
  const redacted = redact.map(({ record }) => record);
  const held =
    (await transaction.perform(findHoldObstacle, [...erase, ...redacted], planning)) ??
    (await transaction.perform(findNamingObstacle, erase, planning));
  if (held !== undefined) return held;
  const floors = await transaction.perform(listFloors, planning.organizationId);
  if (floors.length === 0) return undefined;
  const floored = await transaction.perform(findFloorObstacle, erase, planning, floors);
  if (floored !== undefined) return floored;
  // Once more with the records locked: a change of one of them may be about to be committed.
  const silent = redacted.filter((node) => isKeptSilently(node, planning));
  await lockFloored(transaction, planning, { nodes: [...erase, ...silent], floors });
  return transaction.perform(findFloorObstacle, erase, planning, floors);
}

/** In the order of their keys, as writers lock them. On Citus in one statement, which locks the shards in their order. */
async function lockFloored(
  transaction: Transaction,
  { organizationId }: Planning,
  plan: { readonly nodes: readonly NodeKey[]; readonly floors: readonly RetentionFloor[] },
): Promise<void> {
  const types = new Set(plan.floors.map(({ resourceType }) => resourceType));
  const found = plan.nodes.filter((node) => types.has(parseNodeKey(node).type));
  const nodes = [...new Set(found)].sort();
  const pace = new Pace();
  // Without any, as many statements are sent as for a confidential one: the time must not tell.
  if (nodes.length === 0) await findRecords(transaction, []);
  for (const part of transaction.distributed ? [nodes] : partsOf(nodes)) {
    const keys = part.map((node) => toKey(organizationId, node));
    await lockRecords(transaction, keys);
    await pace.rest();
  }
}
