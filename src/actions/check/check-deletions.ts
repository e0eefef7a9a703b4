// Deletions against their receipts, the other way round: each that is completed has one, and no other has what only that gives.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { limits } from "../../domain/limits.ts";
import type { App } from "../app.ts";
import type { Findings } from "./findings.ts";

export async function checkDeletions(app: App, findings: Findings): Promise<void> {
  const { trail } = app.store;
  const limit = limits.ledgerEntriesAtOnce;
  for (let after = ""; ;) {
    const page = await trail.listDeletions(after, limit);
    const ids = page.map(({ deletionRequestId }) => deletionRequestId);
    const kept = await trail.findReceipts(ids);
    const receipted = new Set(kept.map(({ receipt }) => receipt.deletion_request_id));
    for (const deletion of page) {
      const { deletionRequestId: id } = deletion;
      const fault = findFault(deletion, receipted.has(id));
      if (fault !== undefined) findings.add(`Deletion ${id} ${fault}.`);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    after = last.deletionRequestId;
  }
}

function findFault(deletion: Deletion, hasReceipt: boolean): string | undefined {
  const { status, startedAt, completedAt, erased, redacted } = deletion;
  if (status === "completed") return hasReceipt ? undefined : "is completed, and has no receipt";
  if (completedAt !== undefined) return `is ${status}, and says when it was completed`;
  if (status === "processing") return undefined;
  const isUntouched = startedAt === undefined && redacted === 0 && Object.keys(erased).length === 0;
  return isUntouched ? undefined : `is ${status}, and says that it was begun`;
}
