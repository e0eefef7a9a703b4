// Records that belong to others or mention them: the query and its result.

import type { RelationKind } from "../../domain/record-type.ts";

/** The records that refer to any of some records of one type. */
export interface ReferrerPage {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly resourceIds: readonly string[];
  /** The last record of the page before; undefined for the first page. */
  readonly after: Pick<Referrer, "resourceType" | "resourceId"> | undefined;
  readonly limit: number;
}

export interface Referrer {
  readonly resourceType: string;
  readonly resourceId: string;
  readonly kind: RelationKind;
}
