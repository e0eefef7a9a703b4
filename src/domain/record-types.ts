// The table of record types. A new type is one file in record-type/ and one line here; nothing else names them.

import type { RecordType, ResourceType } from "./record-type.ts";
import { company } from "./record-type/company.ts";
import { customerSar } from "./record-type/customer-sar.ts";
import { identityVerification } from "./record-type/identity-verification.ts";
import { onboardingFlow } from "./record-type/onboarding-flow.ts";
import { person } from "./record-type/person.ts";
import { riskAssessment } from "./record-type/risk-assessment.ts";
import { screening } from "./record-type/screening.ts";
import { transaction } from "./record-type/transaction.ts";
import { transactionAlert } from "./record-type/transaction-alert.ts";
import { transactionCheck } from "./record-type/transaction-check.ts";
import { transactionSuspiciousActivity } from "./record-type/transaction-suspicious-activity.ts";

export const recordTypes: readonly RecordType[] = [
  transaction,
  transactionCheck,
  transactionAlert,
  transactionSuspiciousActivity,
  screening,
  riskAssessment,
  person,
  company,
  identityVerification,
  onboardingFlow,
  customerSar,
];

const byName: ReadonlyMap<ResourceType, RecordType> = new Map(
  recordTypes.map((type) => [type.resourceType, type]),
);

export function recordTypeByName(name: string): RecordType | undefined {
  return byName.get(name);
}

/** Throws TypeError for a name that no type has. */
export function requireRecordType(name: string): RecordType {
  const type = recordTypeByName(name);
  if (type === undefined) throw new TypeError(`there is no record type ${name}`);
  return type;
}

/** The type in words, such as `Customer SAR`; unchanged for an organization or a restricted set. */
export function titleOf(resourceType: string): string {
  return recordTypeByName(resourceType)?.title ?? resourceType;
}

/** The same within a sentence, such as `customer SAR`. */
export function nounOf(resourceType: string): string {
  const title = titleOf(resourceType);
  return title.charAt(0).toLowerCase() + title.slice(1);
}
