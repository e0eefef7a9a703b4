// The types whose records are found by name and number. This is a separate list, because the threads that write must
// not load the record types; a test compares it with them.

import type { ResourceType } from "../../../domain/record-type.ts";

export const searchedTypes = ["company", "person"] as const;

export type SearchedType = (typeof searchedTypes)[number];

export function isSearched(resourceType: ResourceType): resourceType is SearchedType {
  return searchedTypes.some((type) => type === resourceType);
}
