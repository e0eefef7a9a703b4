// Removes references to erased records from a stored payload. The same on every engine.

import { nodeKey, type NodeKey, withoutReferences } from "../domain/deletion/erasure.ts";
import { canonicalPayload } from "../domain/record/payload.ts";
import type { Payload, ResourceType } from "../domain/record-type.ts";
import { recordTypeByName } from "../domain/record-types.ts";

/** Returns the same text if the payload has no such reference. */
export function redactPayload(
  resourceType: ResourceType,
  payload: string,
  gone: ReadonlySet<NodeKey>,
): string {
  const type = recordTypeByName(resourceType);
  if (type === undefined) throw new TypeError(`there is no record type ${resourceType}`);
  const before = JSON.parse(payload) as Payload;
  const after = withoutReferences(type, before, (to, id) => gone.has(nodeKey(to, id)));
  return canonicalPayload(type, after);
}
