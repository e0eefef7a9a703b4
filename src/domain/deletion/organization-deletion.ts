// The deletion of everything that belongs to an organization. It has the life cycle of any other deletion; its plan is
// one target, the organization itself.

import { AppError, unavailable } from "../error.ts";
import type { ResourceType } from "../record-type.ts";

/** The resource_type of such a deletion, which is no record type. Its resource_id is the id of the organization. */
export const organizationType: ResourceType = "organization";

export function isOfOrganization({
  resourceType,
}: {
  readonly resourceType: ResourceType;
}): boolean {
  return resourceType === organizationType;
}

/** The error for every request of an organization after it was closed. */
export function organizationClosed(): AppError {
  return new AppError("credential_revoked", { message: "The organization is closed." });
}

/** What may refuse all writes of an organization. */
export interface WriteRestriction {
  readonly closed_at: number | null;
  readonly writes_paused_until: number;
}

/** Why a write of the organization is refused; undefined if it is not. */
export function refusalOf(
  { closed_at: closedAt, writes_paused_until: pausedUntil }: WriteRestriction,
  now: number,
): AppError | undefined {
  if (closedAt !== null) return organizationClosed();
  return pausedUntil > now ? unavailable("completing", { retryAfterSeconds: 1 }) : undefined;
}

/** What was exported before a closed organization is deleted. */
export interface CompleteExport {
  readonly exportId: string;
  /** The SHA-256 of its manifest, which contains the hashes of all files. */
  readonly manifest: string;
}
