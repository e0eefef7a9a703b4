// Which of the records that a plan touches is held. A hold only says that a record is to stay; sqlite/erase/cascade.ts obeys it.

import type { Hold } from "../../domain/access.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { findHolds, hasHolds } from "../sql/hold.ts";
import type { Connection } from "./connection.ts";

/** A hold on the first of these records that is held, if any. */
export function findFirstHeld(
  connection: Connection,
  organizationId: string,
  records: Iterable<Pick<RecordKey, "resourceType" | "resourceId">>,
): Hold | undefined {
  if (!connection.perform(hasHolds, organizationId)) return undefined;
  for (const record of records) {
    const [hold] = connection.perform(findHolds, { organizationId, ...record });
    if (hold !== undefined) return hold;
  }
  return undefined;
}
