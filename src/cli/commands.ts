// The commands of the core, in the order of the help and the documentation; src/process/command-table.ts adds those of
// features. Everything else about a command is in the file of its noun.

import type { Command } from "./command.ts";
import { auditExport, auditVerify } from "./command/audit.ts";
import { backup, deletionReplay, restore } from "./command/restore.ts";
import * as deletion from "./command/deletion.ts";
import { deletionHold, deletionHolds, deletionRelease } from "./command/hold.ts";
import { openapi } from "./command/openapi.ts";
import { operatorLink } from "./command/operator-link.ts";
import { organizationClose } from "./command/organization-close.ts";
import { organizationShow, organizationSet } from "./command/organization.ts";
import { receiptDisclose, receiptExport, receiptRotate, receiptVerify } from "./command/receipt.ts";
import { recordShow } from "./command/record-show.ts";
import { restrictedExport, restrictedList, restrictedShow } from "../noun/restricted.ts";
import { retentionPreview, retentionSet, retentionShow } from "./command/retention.ts";
import { serve } from "./command/serve.ts";
import { deletionApprove, deletionCancel } from "../noun/deletion.ts";
import { keyCreate, keyList, keyRevoke, keyRotate } from "../noun/key.ts";
import * as operator from "../noun/operator.ts";
import { organizationCreate, organizationList } from "../noun/organization.ts";
import * as proposal from "../noun/proposal.ts";
import { check, clockConfirm, migrate, subjectIndex } from "./command/store.ts";

export const commands: readonly Command[] = [
  serve,
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
  operator.operatorCreate,
  operator.operatorList,
  operator.operatorDisable,
  operatorLink,
  operator.operatorConfirm,
  proposal.proposalList,
  proposal.proposalShow,
  proposal.proposalApprove,
  proposal.proposalDecline,
  recordShow,
  subjectIndex,
  deletion.deletionRequest,
  deletion.deletionList,
  deletion.deletionShow,
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
  auditVerify,
  backup,
  restore,
  check,
  clockConfirm,
  openapi,
];

export const groups: Readonly<Record<string, string>> = {
  organization: "Create, list, show, change and close organizations.",
  key: "Create, list, revoke and rotate API keys.",
  operator: "Create, list, confirm and disable operators, and create sign-in links.",
  proposal: "List, show, approve and decline what waits for a second person.",
  record: "Show a record and its changes.",
  subject: "Build the indexes of persons and companies again.",
  deletion:
    "Request, list, show, approve, cancel and hold deletions, and replay them after a restore.",
  receipt: "Verify and export deletion receipts, and rotate the key that signs them.",
  retention: "Set and show how long records are kept, and preview what is deleted.",
  restricted: "List, show and export what deletions had to keep.",
  audit: "Export and verify the audit trail.",
  clock: "Confirm the clock after a jump.",
};

export const headings: Readonly<Record<string, readonly string[]>> = {
  Service: ["serve", "migrate"],
  "Organizations and access": ["organization", "key", "operator", "proposal"],
  Records: ["record", "subject"],
  Deletion: ["deletion", "receipt", "retention", "restricted"],
  Store: ["audit", "backup", "restore", "check", "clock"],
  Tools: ["openapi"],
};
