// Which confidential reports of a plan have to be kept: those under a legal hold or a retention floor. They do not
// delay the deletion; they move to the restricted store. Pure.

import type { Edge, ErasurePlan, NodeKey } from "../../../domain/deletion/erasure.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { planRestriction } from "../../../domain/deletion/restriction.ts";
import { keyText } from "../../../domain/record/record-write.ts";
import { latestFloor } from "../retention/floor-origin.ts";
import { isKeptSilently, type Obligations, type Planning, toKey } from "./plan.ts";

/** Finds the reports among these records of the plan that must not be erased or changed. */
export function findObliged(
  nodes: readonly NodeKey[],
  planning: Planning,
  { holds, floors, origins, erasing }: Obligations,
): ReadonlySet<NodeKey> {
  const { deletionRequestId: id, organizationId, requestedAt, now } = planning;
  const others = erasing.filter((one) => !one.restricted && one.deletionRequestId !== id);
  const going = new Set(others.map(({ node }) => node));
  const isObliged = (node: NodeKey) => {
    const records = [organizationId, restrictedId(id)].map((owner) => toKey(owner, node));
    if (records.some((key) => holds.has(keyText(key)))) return true;
    const floor = latestFloor({ floors, records, origins, requestedAt });
    return floor !== undefined && floor.until > now;
  };
  const reports = nodes.filter((node) => isKeptSilently(node, planning) && !going.has(node));
  return new Set(reports.filter(isObliged));
}

/** Returns the plan without the records that have to be kept: those move to the restricted store, or stay unchanged. */
export function restrictPlan(
  plan: ErasurePlan,
  edges: Iterable<Edge>,
  { planning, obligations }: { readonly planning: Planning; readonly obligations: Obligations },
): ErasurePlan {
  const nodes = [...plan.erase, ...plan.redact.map(({ record }) => record)];
  const obliged = findObliged(nodes, planning, obligations);
  return obliged.size === 0
    ? plan
    : { ...plan, restriction: planRestriction(plan, edges, obliged) };
}
