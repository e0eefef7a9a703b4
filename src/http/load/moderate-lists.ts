// Decides which large bodies the main thread reads itself instead of the bulk thread.

import type { Load } from "./load.ts";

/** Such a body is parsed in one turn, in about a millisecond. */
const moderateBytesMax = 64 * 1_024;
/** Bound for all large bodies in memory; above it, the bulk thread reads all of them. */
const heldBytesMax = 4 * 1_024 * 1_024;

/**
 * Whether the main thread may read a body of this size: only while no other organization has a request in progress that
 * would have to wait for it. Call it after `beginRequest`.
 */
export function mayReadOnMain(
  { bodies, organizations }: Pick<Load, "bodies" | "organizations">,
  organizationId: string,
  bytes: number | undefined,
): boolean {
  return (
    bytes !== undefined &&
    bytes <= moderateBytesMax &&
    bodies.heldBytes + bytes <= heldBytesMax &&
    organizations.isOnly(organizationId)
  );
}
