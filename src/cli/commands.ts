// The commands of the core by their first word, in the order of the help and the documentation; each word is loaded
// where it is needed. src/process/command-table.ts adds those of features. Everything else about a command is in the
// file of its noun.

import type { Command } from "./command.ts";

export const commandsOf: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  serve: async () => [(await import("./command/serve.ts")).serve],
  migrate: async () => [(await import("./command/store.ts")).migrate],
  organization: async () => {
    const { organizationCreate, organizationList } = await import("../noun/organization.ts");
    const { organizationShow, organizationSet } = await import("./command/organization.ts");
    const { organizationClose } = await import("./command/organization-close.ts");
    return [
      organizationCreate,
      organizationList,
      organizationShow,
      organizationSet,
      organizationClose,
    ];
  },
  key: async () => {
    const { keyCreate, keyList, keyRevoke, keyRotate } = await import("../noun/key.ts");
    return [keyCreate, keyList, keyRevoke, keyRotate];
  },
  operator: async () => {
    const operator = await import("../noun/operator.ts");
    const { operatorLink } = await import("./command/operator-link.ts");
    const { operatorCreate, operatorList, operatorDisable, operatorConfirm } = operator;
    return [operatorCreate, operatorList, operatorDisable, operatorLink, operatorConfirm];
  },
  proposal: async () => {
    const proposal = await import("../noun/proposal.ts");
    const { proposalList, proposalShow, proposalApprove, proposalDecline } = proposal;
    return [proposalList, proposalShow, proposalApprove, proposalDecline];
  },
  record: async () => [(await import("./command/record-show.ts")).recordShow],
  subject: async () => [(await import("./command/store.ts")).subjectIndex],
  deletion: async () => {
    const own = await import("./command/deletion.ts");
    const { deletionApprove, deletionCancel } = await import("../noun/deletion.ts");
    const hold = await import("./command/hold.ts");
    const { deletionReplay } = await import("./command/restore.ts");
    return [
      own.deletionRequest,
      own.deletionList,
      own.deletionShow,
      deletionApprove,
      deletionCancel,
      hold.deletionHold,
      hold.deletionHolds,
      hold.deletionRelease,
      deletionReplay,
    ];
  },
  receipt: async () => {
    const receipt = await import("./command/receipt.ts");
    const { receiptDisclose, receiptExport, receiptRotate } = receipt;
    return [receiptDisclose, receiptExport, receiptRotate];
  },
  retention: async () => {
    const retention = await import("./command/retention.ts");
    return [retention.retentionSet, retention.retentionShow, retention.retentionPreview];
  },
  restricted: async () => {
    const restricted = await import("../noun/restricted.ts");
    return [restricted.restrictedList, restricted.restrictedShow, restricted.restrictedExport];
  },
  audit: async () => {
    const { auditExport } = await import("./command/audit.ts");
    return [auditExport];
  },
  backup: async () => [(await import("./command/restore.ts")).backup],
  restore: async () => [(await import("./command/restore.ts")).restore],
  check: async () => [(await import("./command/store.ts")).check],
  clock: async () => [(await import("./command/store.ts")).clockConfirm],
  openapi: async () => [(await import("./command/openapi.ts")).openapi],
};

export const groups: Readonly<Record<string, string>> = {
  organization: "Create, list, show, change and close organizations.",
  key: "Create, list, revoke and rotate API keys.",
  operator: "Create, list, confirm and disable operators, and create sign-in links.",
  proposal: "List, show, approve and decline what waits for a second person.",
  record: "Show a record and its changes.",
  // Features continue it.
  subject: "What is stored about persons and companies, and the indexes for it.",
  deletion:
    "Request, list, show, approve, cancel and hold deletions, and replay them after a restore.",
  receipt: "Export and disclose deletion receipts, and rotate the key that signs them.",
  retention: "Set and show how long records are kept, and preview what is deleted.",
  restricted: "List, show and export what deletions had to keep.",
  audit: "Export the audit trail.",
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
