// Permits a person to see the content of a record. The audit trail has the reason before anything can be read, and a
// permission is used once, so reloading the page hides the content again.

import type { Operator } from "../../domain/operator.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { textOfRecord } from "../../domain/trail-text.ts";
import type { App } from "../app.ts";
import { auditAccess } from "../trail/audit-access.ts";
import {
  type ChallengeUse,
  isChallenge,
  makeChallenge,
  useChallenge,
} from "../operator/challenge.ts";
import { hasRight, requireRight } from "../operator/viewer.ts";
import { requireReason } from "../operator/require-text.ts";
import { findRecord } from "./find-records.ts";

/** Long enough for the redirect that follows. */
const lifetimeMs = 60_000;

/**
 * Writes to the audit trail, and returns a secret with which this person reads the content of this record once. Throws
 * OperatorError not_permitted, invalid, no_such_type, no_such_organization and no_such_record.
 */
export async function permitReading(
  app: App,
  key: RecordKey,
  { operator, reason }: { readonly operator: Operator; readonly reason: string },
): Promise<string> {
  requireRight(app, "record.show");
  requireReason(reason);
  await findRecord(app, key);
  const { organizationId, resourceType, resourceId } = key;
  const subject = { organizationId, resourceType, resourceId };
  await auditAccess(app, "record.show", { organizationId, subject, detail: { reason } });
  return makeChallenge(app, readingOf(operator, key), lifetimeMs);
}

/** False if the permission was used, has expired, or is for another record or person. */
export async function usePermission(
  app: App,
  key: RecordKey,
  { operator, secret }: { readonly operator: Operator; readonly secret: string },
): Promise<boolean> {
  if (!hasRight(app, "record.show")) return false;
  const reading = readingOf(operator, key);
  if (!(await isChallenge(app, reading, secret))) return false;
  return useChallenge(app, secret, { ...reading, operator });
}

function readingOf({ operatorId }: Operator, key: RecordKey): ChallengeUse {
  return { purpose: "record_reading", boundTo: `${operatorId} ${textOfRecord(key)}` };
}
