// Revealing the content of a record to a person: the reason is in the audit trail before anything can be read, and the
// permission is used once, so reloading the page hides the content again.

import type { Operator } from "../../domain/operator.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { textOfRecord } from "../../domain/trail-text.ts";
import type { App } from "../app.ts";
import { auditAccess } from "../audit-access.ts";
import { hashSecret, makeCredential } from "../credential.ts";
import { OperatorError } from "../operator-error.ts";
import { hasRight, requireRight } from "../require-right.ts";
import { requireReason } from "../require-text.ts";
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
  const secret = makeCredential("record_reading");
  const now = app.now();
  const token = { ...tokenOf(operator, key, secret), expiresAt: now + lifetimeMs };
  if (await app.store.operators.createChallenge(token, now)) return secret;
  throw new OperatorError("sign_in", "Too many people are signing in; try again in five minutes.");
}

/** False if the permission was used, has expired, or is for another record or person. */
export async function usePermission(
  app: App,
  key: RecordKey,
  { operator, secret }: { readonly operator: Operator; readonly secret: string },
): Promise<boolean> {
  if (!hasRight(app, "record.show")) return false;
  return app.store.operators.useChallenge(tokenOf(operator, key, secret), app.now());
}

/** The hash binds it to the record. */
function tokenOf({ operatorId }: Operator, key: RecordKey, secret: string) {
  const tokenHash = hashSecret(`${secret} ${textOfRecord(key)}`);
  return { tokenHash, purpose: "record_reading", operatorId } as const;
}
