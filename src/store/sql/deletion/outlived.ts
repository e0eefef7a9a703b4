// Reports completed deletions that have left something in the tables. Repairs nothing.

import { organizationType } from "../../../domain/deletion/organization-deletion.ts";
import type { ErasureFinding } from "../../interface/store.ts";
import { type KeyRow, keyValues, toKey } from "../../shared/record-key.ts";
import { inNamedIds, joinChanges, named } from "../statement/named.ts";
import { all, Rows, type Statements, column } from "../statement/statements.ts";

const readCompleted = `
  SELECT deletion_request_id, organization_id, resource_type, resource_id, started_at FROM deletion
  WHERE status = 'completed' AND deletion_request_id > $1
  ORDER BY deletion_request_id LIMIT $2`;

/** Changes that are older than the deletion. */
const findOutlived = `
  SELECT DISTINCT named.id
  FROM ${named("organization_id", "resource_type", "resource_id", "id", "started_at bigint")}
    ${joinChanges}
  WHERE received_at < named.started_at
    --citus AND change.resource_id = ANY ($3::text[])
  `;

/** What is left of an organization after everything of it was erased. */
const findOwners = `
  SELECT DISTINCT organization_id AS id FROM record WHERE ${inNamedIds("organization_id")}`;

const deletionsAtOnce = 5_000;
const outlivedMax = 100;

interface CompletedRow extends KeyRow {
  readonly deletion_request_id: string;
  readonly started_at: number;
}

/** Reads page by page, because on a cluster deletions and records are on different nodes. */
export function* listOutlived(): Statements<readonly ErasureFinding[]> {
  const outlived: string[] = [];
  for (let after = ""; outlived.length < outlivedMax;) {
    const rows = yield* all<CompletedRow>(readCompleted, after, deletionsAtOnce);
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.deletion_request_id;
    const values = rows.map((row) => {
      return [...keyValues(toKey(row)), row.deletion_request_id, row.started_at];
    });
    outlived.push(...(yield* column<string>(findOutlived, new Rows(values, 5))));
    const ofOrganizations = rows.filter(({ resource_type }) => resource_type === organizationType);
    const ids = ofOrganizations.map(({ organization_id }) => organization_id);
    const left = new Set(ids.length === 0 ? [] : yield* column<string>(findOwners, ids));
    for (const { organization_id, deletion_request_id } of ofOrganizations) {
      if (left.has(organization_id)) outlived.push(deletion_request_id);
    }
  }
  return outlived.slice(0, outlivedMax).map((id) => ({
    severe: true,
    text: `Changes that ${id} should have erased are still stored.`,
  }));
}
