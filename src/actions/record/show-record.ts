// A record as operators see it: its latest state, folded from its changes, and the changes as they arrived.

import type { Hold } from "../../domain/access.ts";
import { brokenRules, mergeChanges } from "../../domain/record/merge.ts";
import type { Payload } from "../../domain/record-type.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { formatTimestamp } from "../../domain/timestamp.ts";
import type { App } from "../app.ts";
import { findOrganization } from "../access/find-organization.ts";
import { findType, nameTarget } from "./find-named-record.ts";
import { auditAccess } from "../trail/audit-access.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireKnowledge, requireRight } from "../operator/viewer.ts";

export interface RecordDetails {
  readonly state: Payload;
  readonly changes: readonly { readonly receivedAt: number; readonly payload: Payload }[];
  readonly holds: readonly Hold[];
  /** RFC 3339 in UTC, like `lastSeen`. */
  readonly firstSeen: string;
  readonly lastSeen: string;
  /** Sentences. A state that results from updates may break rules that each of them satisfies. */
  readonly brokenRules: readonly string[];
}

/**
 * Writes to the audit trail. Throws OperatorError not_permitted, no_such_type, no_such_organization and no_such_record.
 */
export async function showRecord(app: App, key: RecordKey): Promise<RecordDetails> {
  requireRight(app, "record.show");
  const type = findType(key.resourceType);
  await requireKnowledge(app, key);
  await findOrganization(app, key.organizationId);
  const history = await app.store.readHistory(key);
  if (history === undefined) {
    throw new OperatorError("no_such_record", `There is no ${nameTarget(key)}.`);
  }
  const { organizationId } = key;
  await auditAccess(app, "record.show", { organizationId, subject: key, detail: {} });
  const state = mergeChanges(type, history.changes);
  return {
    holds: await app.store.holds.ofRecords([key]),
    state,
    brokenRules: brokenRules(type, state),
    changes: history.changes.map(({ receivedAt, payload }) => ({
      receivedAt,
      payload: JSON.parse(payload) as Payload,
    })),
    firstSeen: formatTimestamp(history.firstSeen),
    lastSeen: formatTimestamp(history.lastSeen),
  };
}
