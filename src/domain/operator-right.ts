// What each role of operators may do, as data; features add rights of their own. docs/reference/operator-rights.md is
// generated from it. Actions enforce it (viewer.ts).

import type { Named } from "../basics/name-rows.ts";
import { type OperatorRole, operatorRoles } from "./operator.ts";

export interface Right {
  /** Completes "may …". */
  readonly summary: string;
  readonly roles: readonly OperatorRole[];
}

export const everyone = operatorRoles;

export function may(roles: readonly OperatorRole[], summary: string): Right {
  return { summary, roles };
}

/** Pairs of a kind of object and a verb. A right that is not listed does not exist. */
export const operatorRights = {
  "overview.read": may(everyone, "see the overview"),
  "organization.read": may(
    everyone,
    "see organizations, their settings and how many records they have",
  ),
  "organization.create": may(["operator"], "create organizations"),
  "organization.change": may(["operator"], "change the settings of organizations"),
  "organization.close": may(["officer"], "close organizations, which deletes everything of theirs"),
  "key.read": may(everyone, "see API keys and when they were used"),
  "key.create": may(["operator"], "create API keys"),
  "key.rotate": may(["operator"], "rotate API keys"),
  "key.revoke": may(["operator"], "revoke API keys"),
  "record.find": may(everyone, "find records and see their holds, floors, deletions and relations"),
  "record.show": may(["officer"], "read the content and the history of a record"),
  "records.export": may(["officer"], "export records"),
  "subject.index": may(["operator", "officer"], "build the indexes of persons and companies again"),
  "deletion.read": may(everyone, "see deletions and their receipts"),
  "deletion.request": may(["operator", "officer"], "request deletions"),
  "deletion.cancel": may(["operator", "officer"], "cancel deletions"),
  "deletion.approve": may(["officer"], "approve deletions that others have requested"),
  "deletion.require_approval": may(
    ["officer"],
    "set whether the deletions of an organization need an approval",
  ),
  "proposal.read": may(["officer", "auditor"], "see what waits for a second person"),
  "proposal.decide": may(["officer"], "approve or decline what others have proposed"),
  "deletion.replay": may(["operator"], "replay deletions after a restore"),
  "hold.read": may(everyone, "see legal holds"),
  "hold.place": may(["officer"], "place legal holds"),
  "hold.release": may(["officer"], "release legal holds"),
  "retention.read": may(everyone, "see how long records are kept, and what is deleted when"),
  "retention.set": may(["officer"], "set retention floors and the retention ceiling"),
  "restricted.list": may(["officer", "auditor"], "see which restricted sets there are"),
  "restricted.show": may(["officer"], "read a restricted set"),
  "restricted.export": may(["officer"], "export a restricted set"),
  "receipt.read": may(["officer", "auditor"], "see and export all receipts"),
  "receipt.disclose": may(["officer", "auditor"], "disclose the numbers of a receipt"),
  "intake.read": may(everyone, "see imports"),
  "health.read": may(["operator", "auditor"], "see checks and versions"),
  "receipt_key.rotate": may(["operator"], "rotate the key that signs receipts"),
  "audit.read": may(["officer", "auditor"], "see, verify and export the audit trail"),
  "clock.confirm": may(["operator", "officer"], "confirm the clock after it has jumped"),
  "store.check": may(["officer", "auditor"], "check the store"),
  "store.backup": may(["operator"], "make a backup of the store"),
  "store.restore": may(["operator"], "restore the store from a backup"),
  "operator.read": may(
    ["operator", "officer", "auditor", "administrator"],
    "see operators and their roles",
  ),
  "operator.create": may(["administrator"], "create operators"),
  "operator.disable": may(["administrator"], "disable operators"),
  "operator.link": may(["administrator"], "create sign-in links"),
  "operator.confirm": may(["officer"], "confirm officers whom an administrator has created"),
  "session.list": may(["operator", "auditor", "administrator"], "list the sessions of others"),
  "session.revoke": may(["operator", "administrator"], "end the sessions of others"),
  "confidential.read": may(
    ["officer", "auditor"],
    "learn that there are reports of confidential types",
  ),
} as const;

type OwnRight = keyof typeof operatorRights;
export type OperatorRight = OwnRight | Named<Right>;

export function rightOf(right: OperatorRight): Right {
  return typeof right === "string" ? operatorRights[right] : right;
}

export function mayDo(roles: readonly OperatorRole[], right: OperatorRight): boolean {
  return rightOf(right).roles.some((role) => roles.includes(role));
}
