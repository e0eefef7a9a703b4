// What each role of operators may do, as data. docs/reference/operator-rights.md is generated from this table. Actions
// enforce it (viewer.ts).

import { type OperatorRole, operatorRoles } from "./operator.ts";

interface Right {
  /** Completes "may …". */
  readonly summary: string;
  readonly roles: readonly OperatorRole[];
}

const everyone = operatorRoles;

/** Pairs of a kind of object and a verb. A right that is not listed does not exist. */
export const operatorRights = {
  "overview.read": { summary: "see the overview", roles: everyone },
  "organization.read": {
    summary: "see organizations, their settings and how many records they have",
    roles: everyone,
  },
  "organization.create": { summary: "create organizations", roles: ["operator"] },
  "organization.change": { summary: "change the settings of organizations", roles: ["operator"] },
  "organization.close": {
    summary: "close organizations, which deletes everything of theirs",
    roles: ["officer"],
  },
  "key.read": { summary: "see API keys and when they were used", roles: everyone },
  "key.create": { summary: "create API keys", roles: ["operator"] },
  "key.rotate": { summary: "rotate API keys", roles: ["operator"] },
  "key.revoke": { summary: "revoke API keys", roles: ["operator"] },
  "record.find": {
    summary: "find records and see their holds, floors, deletions and relations",
    roles: everyone,
  },
  "record.show": { summary: "read the content and the history of a record", roles: ["officer"] },
  "records.export": { summary: "export records", roles: ["officer"] },
  "records.import": { summary: "import records", roles: ["operator"] },
  "subject.show": {
    summary: "see how much is stored on a person or a company",
    roles: ["officer"],
  },
  "subject.export": {
    summary: "export everything that is stored on a person or a company",
    roles: ["officer"],
  },
  "deletion.read": { summary: "see deletions and their receipts", roles: everyone },
  "deletion.request": { summary: "request deletions", roles: ["operator", "officer"] },
  "deletion.cancel": { summary: "cancel deletions", roles: ["operator", "officer"] },
  "deletion.approve": {
    summary: "approve deletions that others have requested",
    roles: ["officer"],
  },
  "deletion.require_approval": {
    summary: "set whether the deletions of an organization need an approval",
    roles: ["officer"],
  },
  "deletion.replay": { summary: "replay deletions after a restore", roles: ["operator"] },
  "hold.read": { summary: "see legal holds", roles: everyone },
  "hold.place": { summary: "place legal holds", roles: ["officer"] },
  "hold.release": { summary: "release legal holds", roles: ["officer"] },
  "retention.read": {
    summary: "see how long records are kept, and what is deleted when",
    roles: everyone,
  },
  "retention.set": {
    summary: "set retention floors and the retention ceiling",
    roles: ["officer"],
  },
  "restricted.list": {
    summary: "see which restricted sets there are",
    roles: ["officer", "auditor"],
  },
  "restricted.show": { summary: "read a restricted set", roles: ["officer"] },
  "restricted.export": { summary: "export a restricted set", roles: ["officer"] },
  "receipt.read": { summary: "see and export all receipts", roles: ["officer", "auditor"] },
  "receipt.disclose": {
    summary: "disclose the numbers of a receipt",
    roles: ["officer", "auditor"],
  },
  "intake.read": { summary: "see refusals and imports", roles: everyone },
  "health.read": {
    summary: "see checks, versions and settings",
    roles: ["operator", "auditor"],
  },
  "receipt_key.rotate": {
    summary: "rotate the key that signs receipts",
    roles: ["operator"],
  },
  "audit.read": {
    summary: "see, verify and export the audit trail",
    roles: ["officer", "auditor"],
  },
  "store.check": { summary: "check the store", roles: ["officer", "auditor"] },
  "store.backup": { summary: "make a backup of the store", roles: ["operator"] },
  "store.restore": { summary: "restore the store from a backup", roles: ["operator"] },
  "store.move": { summary: "move the store to PostgreSQL", roles: ["operator"] },
  "operator.read": { summary: "see operators and their roles", roles: ["operator", "auditor"] },
  "operator.create": { summary: "create operators", roles: ["operator"] },
  "operator.disable": { summary: "disable operators", roles: ["operator"] },
  "operator.link": { summary: "create sign-in links", roles: ["operator"] },
  "session.list": { summary: "list the sessions of others", roles: ["operator", "auditor"] },
  "session.revoke": { summary: "end the sessions of others", roles: ["operator"] },
  "confidential.read": {
    summary: "learn that there are reports of confidential types",
    roles: ["officer", "auditor"],
  },
} as const satisfies Readonly<Record<string, Right>>;

export type OperatorRight = keyof typeof operatorRights;

export const allOperatorRights = Object.keys(operatorRights) as readonly OperatorRight[];

/** Everything that any of these roles may do. */
export function rightsOf(roles: readonly OperatorRole[]): ReadonlySet<OperatorRight> {
  return new Set(
    allOperatorRights.filter((right) =>
      operatorRights[right].roles.some((role) => roles.some((own) => own === role)),
    ),
  );
}
