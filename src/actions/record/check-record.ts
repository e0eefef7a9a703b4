// Whether a record exists, and when it was first and last seen. Records of other organizations do not exist to a
// caller.

import { AppError } from "../../domain/error.ts";
import { nounOf, type RecordType } from "../../domain/record-type.ts";
import type { Sighting } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";

/** Throws AppError no_such_record. */
export async function checkRecord(
  app: App,
  type: RecordType,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<Sighting> {
  const sighting = await app.store.findRecord({
    organizationId,
    resourceType: type.resourceType,
    resourceId: id,
  });
  if (sighting === undefined) throw noSuchRecord(type);
  return sighting;
}

/** The same error whether the record does not exist or belongs to another organization. */
export function noSuchRecord(type: RecordType): AppError {
  return new AppError("no_such_record", {
    message: `There is no ${nounOf(type)} with this ${type.idField}.`,
  });
}
