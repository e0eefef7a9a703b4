// Compares deletions with their receipts: every completed deletion has a receipt, and no other deletion has a field
// that only a completion sets.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { App } from "../app.ts";
import { deletionPages } from "../pages.ts";
import type { Findings } from "./findings.ts";

export async function checkDeletions(app: App, findings: Findings): Promise<void> {
  for await (const page of deletionPages(app)) {
    const ids = page.map(({ deletionRequestId }) => deletionRequestId);
    const stored = await app.store.trail.findReceipts(ids);
    const receipted = new Set(stored.map(({ receipt }) => receipt.deletion_request_id));
    for (const deletion of page) {
      const { deletionRequestId: id } = deletion;
      const fault = findFault(deletion, receipted.has(id));
      if (fault !== undefined) findings.add(`Deletion ${id} ${fault}.`);
    }
  }
}

function findFault(deletion: Deletion, hasReceipt: boolean): string | undefined {
  const { status, startedAt, completedAt, redacted } = deletion;
  const { erased, kept, redactedByType } = deletion;
  if (status === "completed") return hasReceipt ? undefined : "is completed, and has no receipt";
  if (completedAt !== undefined) return `is ${status}, and has a time of completion`;
  if (status === "processing") return undefined;
  const counts = { ...erased, ...kept, ...redactedByType };
  const isUntouched = startedAt === undefined && redacted === 0 && Object.keys(counts).length === 0;
  return isUntouched ? undefined : `is ${status}, and has been started`;
}
