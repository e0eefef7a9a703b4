// Reads the content of the restricted store, for officers and for the check of the store. Changes nothing.

import {
  deletionOfSet,
  type KeptReference,
  restrictedId,
  type RestrictedRecord,
} from "../../../domain/deletion/restricted-set.ts";
import { toDeletion } from "../../row/deletion-row.ts";
import { reader } from "../../row/reader.ts";
import { all, list, type Statements, scalar } from "../statement/statements.ts";
import type { KeyInOrganization } from "../../../domain/record/record-write.ts";

export interface Page<From> {
  readonly after: From;
  readonly limit: number;
}

/** A set whose deletion is unknown or completed, although it has records. */
export interface StraySet {
  readonly set: string;
  readonly status: string | undefined;
}

const findSets = `
  SELECT * FROM deletion
  --sqlite INDEXED BY deletion_restricted
  WHERE restricted_of IS NOT NULL AND (CAST($1 AS text) IS NULL OR restricted_of = $1)
    AND deletion_request_id > $2 AND status IN ('pending', 'processing')
  ORDER BY deletion_request_id LIMIT $3`;

const findRecords = `
  SELECT resource_type, resource_id, first_seen, last_seen FROM record
  WHERE organization_id = $1 AND (resource_type, resource_id) > ($2, $3)
  ORDER BY resource_type, resource_id LIMIT $4`;

const findReferences = `
  SELECT from_type, from_id, from_set, to_type, to_id FROM restricted_reference
  WHERE deletion_request_id = $1 AND (from_type, from_id, to_type, to_id) > ($2, $3, $4, $5)
  ORDER BY from_type, from_id, to_type, to_id LIMIT $6`;

/** The first record of a set after this record. */
const findNextSet = `
  SELECT organization_id FROM record
  WHERE organization_id > $1 AND organization_id < 'restricted0'
  ORDER BY organization_id LIMIT 1`;

const findStatuses = `
  SELECT deletion_request_id, status FROM deletion WHERE deletion_request_id IN ($1, $2)`;

const straySetsMax = 100;

const toRecord = reader<RestrictedRecord>({});

/** The set of the referring record; empty if the record is in none. */
const toReference = reader<KeptReference & { readonly fromSet: string }>({});

/** The deletions of sets that are not erased yet, in the order of their ids; of all organizations if none is named. */
export function* listSets(page: Page<string> & { readonly organizationId: string | undefined }) {
  return yield* list(toDeletion, findSets, page.organizationId ?? null, page.after, page.limit);
}

export function* listRecords(
  page: Page<KeyInOrganization | undefined> & { readonly set: string },
): Statements<readonly RestrictedRecord[]> {
  const { resourceType = "", resourceId = "" } = page.after ?? {};
  return yield* list(toRecord, findRecords, page.set, resourceType, resourceId, page.limit);
}

export function* listReferences({
  set,
  after,
  limit,
}: Page<KeptReference | undefined> & { readonly set: string }): Statements<
  readonly KeptReference[]
> {
  const { fromType = "", fromId = "", toType = "", toId = "" } = after ?? {};
  const moving = deletionOfSet(set) ?? "";
  const place = [moving, fromType, fromId, toType, toId] as const;
  const references = yield* list(toReference, findReferences, ...place, limit);
  return references.map((one) => ({
    ...one,
    fromSet: one.fromSet === "" ? undefined : restrictedId(one.fromSet),
  }));
}

interface StatusRow {
  readonly deletion_request_id: string;
  readonly status: string;
}

/** Sets that no deletion will erase: neither an open one, nor one that is still filling the set. */
export function* findStraySets(): Statements<readonly StraySet[]> {
  let stray: readonly StraySet[] = [];
  let set = restrictedId("");
  while (stray.length < straySetsMax) {
    const next = yield* scalar<string>(findNextSet, set);
    if (next === undefined) return stray;
    set = next;
    const rows = yield* all<StatusRow>(findStatuses, set, deletionOfSet(set) ?? "");
    const own = rows.find((row) => row.deletion_request_id === set)?.status;
    const isOpen = own === "pending" || own === "processing";
    const isFilled = rows.some(
      (row) => row.deletion_request_id !== set && row.status === "processing",
    );
    if (!isOpen && !isFilled) stray = [...stray, { set, status: own }];
  }
  return stray;
}
