// Reports what erasures should have removed and did not: changes that outlived the deletion of their record, and
// content in the free space of the file. Repairs nothing.

import { statSync } from "node:fs";
import type { ErasureReport } from "../../interface/check-report.ts";
import { listOutlived } from "../../sql/deletion/outlived.ts";
import type { Connection } from "../connection.ts";
import { findResidue } from "./free-space.ts";

const findAnyBegun = `SELECT 1 FROM deletion WHERE status IN ('processing', 'completed') LIMIT 1`;

const findOpen = `SELECT count(*) AS open FROM deletion WHERE status = 'processing'`;

export function checkErasure(connection: Connection, descriptor: number): ErasureReport {
  const findings = [...connection.perform(listOutlived)];
  // If nothing was erased yet, free space only contains copies of stored data, or of the schema itself.
  const pages = connection.get(findAnyBegun) === undefined ? 0 : countResidue(descriptor);
  if (pages > 0) {
    const text =
      `${pages} pages contain copies of records in their free space since the last deletion was completed; the next one ` +
      "scrubs them. The records are stored, or belong to deletions that are still processing.";
    findings.push({ severe: false, text });
  }
  const open = connection.get<{ open: number }>(findOpen)?.open ?? 0;
  const wal = statSync(`${connection.path}-wal`, { throwIfNoEntry: false });
  if (open > 0 && (wal?.size ?? 0) > 0) {
    const text = `${open} deletions are processing; until they are completed the WAL may hold what they erase.`;
    findings.push({ severe: false, text });
  }
  return { findings };
}

function countResidue(descriptor: number): number {
  let count = 0;
  let firstPage: number | undefined = 1;
  while (firstPage !== undefined) {
    const part: ReturnType<typeof findResidue> = findResidue(descriptor, firstPage);
    count += part.pages.length;
    firstPage = part.nextPage;
  }
  return count;
}
