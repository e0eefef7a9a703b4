// Restricted sets: records that a deletion must not erase yet, and that nobody but officers may see. They are stored
// under a separate organization id, made from the id of the deletion.

/** Organization ids contain no slash (actions/access/create-organization.ts), so no organization has such an id. */
const prefix = "restricted/";

/** The organization id of the records that this deletion has moved; their own deletion has the same id. */
export function restrictedId(deletionRequestId: string): string {
  return prefix + deletionRequestId;
}

export function isRestrictedId(id: string): boolean {
  return id.startsWith(prefix);
}

export function deletionOfSet(id: string): string | undefined {
  return isRestrictedId(id) ? id.slice(prefix.length) : undefined;
}

/** The organization of a record, wherever it is stored. */
export function ownerOf({
  organizationId,
  restrictedOf,
}: {
  readonly organizationId: string;
  readonly restrictedOf?: string | undefined;
}): string {
  return restrictedOf ?? organizationId;
}

/** A record of a restricted set. Times are normalised timestamps. */
export interface RestrictedRecord {
  readonly resourceType: string;
  readonly resourceId: string;
  readonly firstSeen: string;
  readonly lastSeen: string;
}

/** A reference that remains in a report, until the set is erased. */
export interface KeptReference {
  readonly fromType: string;
  readonly fromId: string;
  /** The id of the set that the report is in; undefined for a report that stays in the organization. */
  readonly fromSet: string | undefined;
  readonly toType: string;
  readonly toId: string;
}
