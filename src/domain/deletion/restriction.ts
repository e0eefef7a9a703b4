// Finds which part of a plan must not be erased yet because a confidential report is under a legal hold or a retention
// floor: the report, what supports it, and the references of a report that stays. Pure; callers decide which reports
// have to be kept.

import type { ResourceType } from "../record-type.ts";
import {
  type Edge,
  type ErasurePlan,
  type NodeKey,
  parseNodeKey,
  type Restriction,
} from "./erasure.ts";

/** Records of these types support the reports that name them. */
export const supportingTypes: ReadonlySet<ResourceType> = new Set([
  "transaction",
  "transaction_alert",
]);

/**
 * Finds the restricted part of a plan. `obliged`: confidential records of the plan that have to be kept unchanged.
 * `edges`: the edges that the plan was made from; only those from an obliged report, or from what supports one, are
 * read.
 */
export function planRestriction(
  { erase }: Pick<ErasurePlan, "erase">,
  edges: Iterable<Edge>,
  obliged: ReadonlySet<NodeKey>,
): Restriction {
  const erased = new Set(erase);
  const named = namedBy(edges, obliged);
  const records = new Set<NodeKey>();
  const reached = new Set(obliged);
  // The iteration of a Set includes what is added meanwhile: an alert that supports a report has transactions of its
  // own.
  for (const node of reached) {
    if (erased.has(node)) records.add(node);
    for (const to of named.get(node) ?? []) if (erased.has(to)) reached.add(to);
  }
  return { records, reports: new Set([...obliged].filter((report) => !erased.has(report))) };
}

function namedBy(
  edges: Iterable<Edge>,
  obliged: ReadonlySet<NodeKey>,
): ReadonlyMap<NodeKey, readonly NodeKey[]> {
  const named = new Map<NodeKey, NodeKey[]>();
  for (const { from, to } of edges) {
    if (!obliged.has(from) && !isSupporting(from)) continue;
    if (!isSupporting(to)) continue;
    const list = named.get(from);
    if (list === undefined) named.set(from, [to]);
    else list.push(to);
  }
  return named;
}

function isSupporting(node: NodeKey): boolean {
  return supportingTypes.has(parseNodeKey(node).type);
}
