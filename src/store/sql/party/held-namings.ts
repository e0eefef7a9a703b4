// Finds the records under a hold that name any of many persons and companies, for previews of all that have expired: an
// organization has few such holds. Changes nothing.

import { type NodeKey, parseNodeKey } from "../../../domain/deletion/erasure.ts";
import { namingTypes } from "../../../domain/deletion/party.ts";
import type { Place } from "../../interface/naming.ts";
import { all, type Statements } from "../statement/statements.ts";
import { readNamedParties } from "./entries.ts";

const findHeld = `
  SELECT DISTINCT resource_id AS id FROM hold
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id > $3
    AND (ends_on IS NULL OR ends_on >= $5)
  ORDER BY resource_id LIMIT $4`;

/** How many records under a hold one statement reads. */
const heldAtOnce = 500;

/** Finds for each party a record under a hold that names it. */
export function* findHeldNamings(
  organizationId: string,
  nodes: readonly NodeKey[],
  heldOn: string,
): Statements<ReadonlyMap<NodeKey, Place>> {
  const places = new Map<string, Place>();
  for (const { resourceType } of nodes.length === 0 ? [] : namingTypes) {
    for (let last: string | undefined = ""; last !== undefined;) {
      const place = [organizationId, resourceType, last] as const;
      const held: readonly { id: string }[] = yield* all(findHeld, ...place, heldAtOnce, heldOn);
      const keys = held.map(({ id }) => ({ organizationId, resourceType, resourceId: id }));
      for (const one of yield* readNamedParties(keys)) places.set(one.party, one);
      last = held.length < heldAtOnce ? undefined : held.at(-1)?.id;
    }
  }
  return new Map(
    nodes.flatMap((node) => {
      const place = places.get(parseNodeKey(node).id);
      return place === undefined ? [] : [[node, place] as const];
    }),
  );
}
