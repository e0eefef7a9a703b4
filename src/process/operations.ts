// All operations of the service: those of the core, and those of features.

import { recordTypes } from "../domain/record-types.ts";
import { publicRoutes as own } from "../http/public-routes.ts";
import { operationsFor } from "../http/routes.ts";
import { loadParts } from "./load-parts.ts";

const parts = await loadParts((feature) => feature.http);

/** What features add. */
export const added = {
  operations: parts.flatMap((part) => part.operations ?? []),
  grants: parts.flatMap((part) => part.grants ?? []),
  tags: parts.flatMap((part) => part.tags ?? []),
};

export const publicRoutes = [...own, ...parts.flatMap((part) => part.publicRoutes ?? [])];

export const operations = operationsFor(recordTypes, added);
