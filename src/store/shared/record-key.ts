// The key of a record as text, and as the columns of a multi-row statement. Reads nothing.

import type { RecordKey } from "../../domain/record/record-write.ts";

/** The three key columns of a row. */
export interface KeyRow {
  readonly organization_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
}

/** Ids and types contain no control characters. */
export function keyText({ organizationId, resourceType, resourceId }: RecordKey): string {
  return `${organizationId}\n${resourceType}\n${resourceId}`;
}

export function rowKeyText(row: KeyRow): string {
  return `${row.organization_id}\n${row.resource_type}\n${row.resource_id}`;
}

/** Returns one array for each column, in the order of the keys. */
export function keyColumns(keys: readonly RecordKey[]): [string[], string[], string[]] {
  return [
    keys.map(({ organizationId }) => organizationId),
    keys.map(({ resourceType }) => resourceType),
    keys.map(({ resourceId }) => resourceId),
  ];
}

export function toKey(row: KeyRow): RecordKey {
  return {
    organizationId: row.organization_id,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
  };
}
