// Imports: begun, reported and listed.

import type { ImportReport, ImportRun, NewImportRun } from "../../interface/imports.ts";
import { reader } from "../../row/reader.ts";
import { list, run, type Statements } from "../statement/statements.ts";
import { insertion } from "../statement/insertion.ts";

const insertRun = insertion<NewImportRun & Pick<ImportRun, "updatedAt">>(
  "import_run",
  "organization_id import_id resource_type source started_at started_by updated_at",
);

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
  yield* insertRun({ ...one, updatedAt: one.startedAt });
}

/** Nothing is reported after the end. */
export function* reportImport(report: ImportReport): Statements<void> {
  const { organizationId, importId, updatedAt, rows, written, unchanged, refused } = report;
  const counts = [rows, written, unchanged, refused];
  yield* run(update, organizationId, importId, updatedAt, ...counts, report.outcome ?? null);
}

export function* listImports(limit: number) {
  return yield* list(toImportRun, findNewest, limit);
}

export function* removeImportsOf(organizationId: string): Statements<void> {
  yield* run(removeOfOrganization, organizationId);
}
