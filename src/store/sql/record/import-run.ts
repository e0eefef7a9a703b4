// Imports: begun, reported and listed.

import type { ImportReport, ImportRun, NewImportRun } from "../../interface/imports.ts";
import { reader } from "../../row/reader.ts";
import { list, run, type Statements } from "../statement/statements.ts";

const insert = `
  INSERT INTO import_run
    (organization_id, import_id, resource_type, source, started_at, started_by, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $5)`;

const update = `
  UPDATE import_run
  SET updated_at = $3, rows_read = $4, written = $5, unchanged = $6, refused = $7, outcome = $8
  WHERE organization_id = $1 AND import_id = $2 AND outcome IS NULL`;

const findNewest = `
  SELECT organization_id, import_id, resource_type, source, started_at, started_by, updated_at,
    rows_read AS rows, written, unchanged, refused, outcome
  FROM import_run ORDER BY started_at DESC, import_id DESC LIMIT $1`;

const removeOfOrganization = `DELETE FROM import_run WHERE organization_id = $1`;

const toImportRun = reader<ImportRun>({});

export function* beginImport(one: NewImportRun): Statements<void> {
  const { organizationId, importId, resourceType, source, startedAt, startedBy } = one;
  yield* run(insert, organizationId, importId, resourceType, source, startedAt, startedBy);
}

/** Nothing is reported after the end. */
export function* reportImport(report: ImportReport): Statements<void> {
  const { organizationId, importId, updatedAt, rows, written, unchanged, refused } = report;
  const counts = [rows, written, unchanged, refused];
  yield* run(update, organizationId, importId, updatedAt, ...counts, report.outcome ?? null);
}

/** Lists the imports of all organizations, newest first. */
export function* listImports(limit: number): Statements<readonly ImportRun[]> {
  return yield* list(toImportRun, findNewest, limit);
}

export function* removeImportsOf(organizationId: string): Statements<void> {
  yield* run(removeOfOrganization, organizationId);
}
