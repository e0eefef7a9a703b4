// What each role of operators may do, as data. docs/reference/operator-rights.md is generated from this table. Actions
// enforce it (require-right.ts).

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
  "organization.create": { summary: "create organizations", roles: ["operator"] },
  "organization.change": { summary: "change the settings of organizations", roles: ["operator"] },
  "organization.close": {
    summary: "close organizations, which deletes everything of theirs",
    roles: ["officer"],
  },
  "key.create": { summary: "create API keys", roles: ["operator"] },
  "key.rotate": { summary: "rotate API keys", roles: ["operator"] },
  "key.revoke": { summary: "revoke API keys", roles: ["operator"] },
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
  "hold.place": { summary: "place legal holds", roles: ["officer"] },
  "hold.release": { summary: "release legal holds", roles: ["officer"] },
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
  "receipt_key.rotate": {
    summary: "rotate the key that signs receipts",
    roles: ["operator"],
  },
  "store.backup": { summary: "make a backup of the store", roles: ["operator"] },
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
