// The table of commands, in the order of the help and the documentation. Everything else about a command is in its file.

import type { Command } from "./command.ts";
import { auditExport } from "./command/audit-export.ts";
import { backup } from "./command/backup.ts";
import { check } from "./command/check.ts";
import { makeCompletion } from "./command/completion.ts";
import { deletionApprove } from "./command/deletion-approve.ts";
import { deletionCancel } from "./command/deletion-cancel.ts";
import { deletionHold } from "./command/deletion-hold.ts";
import { deletionHolds } from "./command/deletion-holds.ts";
import { deletionList } from "./command/deletion-list.ts";
import { deletionRelease } from "./command/deletion-release.ts";
import { deletionReplay } from "./command/deletion-replay.ts";
import { deletionRequest } from "./command/deletion-request.ts";
import { deletionShow } from "./command/deletion-show.ts";
import { demo } from "./command/demo.ts";
import { exportRecords } from "./command/export.ts";
import { importRecords } from "./command/import.ts";
import { keyCreate } from "./command/key-create.ts";
import { keyList } from "./command/key-list.ts";
import { keyRevoke } from "./command/key-revoke.ts";
import { keyRotate } from "./command/key-rotate.ts";
import { migrate } from "./command/migrate.ts";
import { move } from "./command/move.ts";
import { openapi } from "./command/openapi.ts";
import { operatorCreate } from "./command/operator-create.ts";
import { operatorDisable } from "./command/operator-disable.ts";
import { operatorLink } from "./command/operator-link.ts";
import { operatorList } from "./command/operator-list.ts";
import { organizationClose } from "./command/organization-close.ts";
import { organizationCreate } from "./command/organization-create.ts";
import { organizationList } from "./command/organization-list.ts";
import { organizationSet } from "./command/organization-set.ts";
import { organizationShow } from "./command/organization-show.ts";
import { receiptDisclose } from "./command/receipt-disclose.ts";
import { receiptExport } from "./command/receipt-export.ts";
import { receiptRotate } from "./command/receipt-rotate.ts";
import { receiptVerify } from "./command/receipt-verify.ts";
import { recordShow } from "./command/record-show.ts";
import { restore } from "./command/restore.ts";
import { restrictedExport } from "./command/restricted-export.ts";
import { restrictedList } from "./command/restricted-list.ts";
import { restrictedShow } from "./command/restricted-show.ts";
import { retentionPreview } from "./command/retention-preview.ts";
import { retentionSet } from "./command/retention-set.ts";
import { retentionShow } from "./command/retention-show.ts";
import { serve } from "./command/serve.ts";
import { subjectExport } from "./command/subject-export.ts";
import { subjectShow } from "./command/subject-show.ts";

export const commands: readonly Command[] = [
  serve,
  demo,
  migrate,
  organizationCreate,
  organizationList,
  organizationShow,
  organizationSet,
  organizationClose,
  keyCreate,
  keyList,
  keyRevoke,
  keyRotate,
  operatorCreate,
  operatorList,
  operatorDisable,
  operatorLink,
  importRecords,
  exportRecords,
  recordShow,
  subjectShow,
  subjectExport,
  deletionRequest,
  deletionList,
  deletionShow,
  deletionApprove,
  deletionCancel,
  deletionHold,
  deletionHolds,
  deletionRelease,
  deletionReplay,
  receiptVerify,
  receiptDisclose,
  receiptExport,
  receiptRotate,
  retentionSet,
  retentionShow,
  retentionPreview,
  restrictedList,
  restrictedShow,
  restrictedExport,
  auditExport,
  backup,
  restore,
  move,
  check,
  openapi,
  makeCompletion(() => ({ commands, groups, topics })),
];

/** A summary for the first word of commands with two words. */
export const groups: Readonly<Record<string, string>> = {
  organization: "Create, list, show, change and close organizations.",
  key: "Create, list, revoke and rotate API keys.",
  operator: "Create, list and disable operators, and create sign-in links.",
  record: "Show a record and its changes.",
  subject: "Show and export everything that is held on a person or a company.",
  deletion:
    "Request, list, show, approve, cancel and hold deletions, and replay them after a restore.",
  receipt: "Verify and export deletion receipts, and rotate the key that signs them.",
  retention: "Set and show how long records are kept, and preview what is deleted.",
  restricted: "List, show and export what deletions had to keep.",
  audit: "Export the audit trail.",
};

/** The parts of the help, with the first words of their commands. */
export const headings: Readonly<Record<string, readonly string[]>> = {
  Service: ["serve", "demo", "migrate"],
  "Organizations and access": ["organization", "key", "operator"],
  Records: ["import", "export", "record", "subject"],
  Deletion: ["deletion", "receipt", "retention", "restricted"],
  Store: ["audit", "backup", "restore", "move", "check"],
  Tools: ["openapi", "completion"],
};

/** What `sluice help` explains besides commands. */
export const topics = {
  commands: "All commands, each with a summary.",
  settings: "All settings, with their defaults.",
  "exit-codes": "What the exit codes mean.",
  output: "Streams, JSON, and when colours are used.",
};
