// Writes to the audit trail that an operator reads or writes records outside the API. Never writes an id or content of
// a record.

import type { Named } from "../../basics/name-rows.ts";
import type { Right } from "../../domain/operator-right.ts";
import type { AuditNote } from "../../store/interface/trail.ts";
import { actOf, type App } from "../app.ts";
import { requireRight } from "../operator/viewer.ts";

export type AccessAction =
  | "subject.index"
  | "record.show"
  | "records.export"
  | "restricted.list"
  | "restricted.show"
  | "restricted.export";

/**
 * The entry has the name of the right. It is on stable storage when the promise resolves: await it before anything is
 * printed or written.
 */
export async function auditAccess(
  app: App,
  right: AccessAction | Named<Right>,
  about: Omit<AuditNote, "action">,
): Promise<void> {
  requireRight(app, right);
  const action = typeof right === "string" ? right : right.name;
  await app.store.trail.note({ ...about, action }, actOf(app));
}

/** A download of the whole chain, or of what is of one organization; like `auditAccess`. */
export async function noteDownload(
  app: App,
  action: "audit.export" | "receipt.export",
  organizationId?: string,
): Promise<void> {
  const subject = organizationId ?? (await app.store.receiptHead()).storeId;
  const note = { action, organizationId, subject, detail: {} };
  await app.store.trail.note(note, actOf(app));
}
