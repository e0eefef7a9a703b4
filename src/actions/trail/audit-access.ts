// Writes to the audit trail that an operator reads or writes records outside the API. Never writes an id or content of
// a record.

import type { AuditNote } from "../../store/interface/trail.ts";
import { actOf, type App } from "../app.ts";
import { requireRight } from "../operator/viewer.ts";

export type AccessAction =
  | "subject.show"
  | "subject.export"
  | "subject.answer"
  | "subject.index"
  | "record.show"
  | "records.export"
  | "restricted.list"
  | "restricted.show"
  | "restricted.export";

/** The entry is on stable storage when the promise resolves: await it before anything is printed or written. */
export async function auditAccess(
  app: App,
  action: AccessAction,
  about: Omit<AuditNote, "action">,
): Promise<void> {
  requireRight(app, action);
  await app.store.trail.note({ ...about, action }, actOf(app));
}

/** A download of the whole chain; like `auditAccess`. */
export async function noteDownload(
  app: App,
  action: "audit.export" | "receipt.export",
): Promise<void> {
  const { storeId } = await app.store.receiptHead();
  const note = { action, organizationId: undefined, subject: storeId, detail: {} };
  await app.store.trail.note(note, actOf(app));
}
