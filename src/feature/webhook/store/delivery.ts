// What sending webhooks needs from the store: a lease on an endpoint, the results of attempts, what people change, and
// the steps of deletions in the order of the audit trail. No message is stored.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { type WebhookEndpoint, webhookWaitsMsMax } from "../webhook.ts";
import type { Act } from "../../../store/interface/act.ts";
import { reader } from "../../../store/row/reader.ts";
import {
  all,
  find,
  get,
  list,
  run,
  type Statements,
} from "../../../store/sql/statement/statements.ts";
import { auditAct } from "../../../store/sql/trail/audit.ts";
import { type EndpointName, findEndpoint, toEndpoint } from "./endpoint.ts";
import { actions } from "./rows.ts";

/** Missing members stay unchanged. */
export interface EndpointChange {
  /** Ends the disabled state and the back-off, and ignores the failure of an attempt in progress. */
  readonly enable?: true;
  /** Where to continue: the entry of the audit trail, and the arrival number. */
  readonly from?: Cursors;
  readonly test?: true;
}

export interface Lease {
  readonly claimant: string;
  readonly now: number;
  readonly until: number;
}

export type Cursors = Pick<WebhookEndpoint, "entryNo" | "changeNo">;

/** What a message depends on: the endpoint is claimed only if it is still so. */
type FoundEndpoint = EndpointName & Cursors & Pick<WebhookEndpoint, "testRequestedAt">;

/**
 * What an attempt changes in an endpoint, from how it was to how it is then. What somebody has set meanwhile remains:
 * cursors, a test, and, if the endpoint was enabled, the failures.
 */
export interface Attempt {
  readonly before: WebhookEndpoint;
  /** Without the end of the lease, others may claim the endpoint. */
  readonly after: WebhookEndpoint;
  readonly claimant: string;
}

/** A part of the audit trail. */
export interface TrailRange {
  readonly after: number;
  readonly through: number;
}

export interface DeletionNewsQuery extends TrailRange {
  readonly organizationId: string;
  readonly limit: number;
}

/** A step of a deletion in the audit trail. */
export interface DeletionNews extends Pick<Deletion, "deletionRequestId" | "resourceType"> {
  readonly entryNo: number;
  readonly at: number;
  readonly action: string;
}

const isNamed = `organization_id = $1 AND endpoint_id = $2`;

/**
 * `$6`, `$7`: the latest times for which a wait can have begun unless the clock was set back. `$8` to `$10`: the
 * endpoint as it was when the message was found.
 */
const claim = `
  UPDATE webhook_endpoint SET claimant = $3, lease_until = $4
  WHERE ${isNamed}
    AND (lease_until IS NULL OR lease_until <= $5 OR lease_until > $6)
    AND (test_requested_at IS NOT NULL
      OR disabled_at IS NULL
        AND (next_attempt_at IS NULL OR next_attempt_at <= $5 OR next_attempt_at > $7))
    AND entry_no = $8 AND change_no = $9 AND test_requested_at IS NOT DISTINCT FROM $10
    AND EXISTS (SELECT 1 FROM organization WHERE organization_id = $1 AND closed_at IS NULL)
  RETURNING *`;

const release = `
  UPDATE webhook_endpoint SET lease_until = NULL
  WHERE ${isNamed} AND claimant = $3`;

const releaseAll = `UPDATE webhook_endpoint SET lease_until = NULL WHERE lease_until IS NOT NULL`;

/** `$15`: the end of the lease under which the attempt was made, which enabling the endpoint changes. */
const setResult = `
  UPDATE webhook_endpoint SET
    entry_no = CASE WHEN entry_no = $4 THEN $5 ELSE entry_no END,
    change_no = CASE WHEN change_no = $6 THEN $7 ELSE change_no END,
    test_requested_at = CASE WHEN test_requested_at = $8 THEN NULL ELSE test_requested_at END,
    signalled_at = $9, last_attempt_at = $10, last_result = $11, last_delivered_at = $12, lease_until = $13,
    failures = CASE WHEN lease_until = $15 THEN $14 ELSE failures END,
    failing_since = CASE WHEN lease_until = $15 THEN $16 ELSE failing_since END,
    next_attempt_at = CASE WHEN lease_until = $15 THEN $17 ELSE next_attempt_at END,
    disabled_at = CASE WHEN lease_until = $15 THEN $18 ELSE disabled_at END,
    disabled_because = CASE WHEN lease_until = $15 THEN $19 ELSE disabled_because END
  WHERE ${isNamed} AND claimant = $3
  RETURNING *`;

/** Another end of the lease: if an attempt in progress fails, this is not counted. */
const setEnabled = `
  UPDATE webhook_endpoint
  SET disabled_at = NULL, disabled_because = NULL, failures = 0, failing_since = NULL,
    next_attempt_at = NULL, lease_until = lease_until - 1
  WHERE ${isNamed}`;

const setCursors = `
  UPDATE webhook_endpoint SET entry_no = $3, change_no = $4
  WHERE ${isNamed}`;

const setTest = `
  UPDATE webhook_endpoint SET test_requested_at = $3
  WHERE ${isNamed}`;

const steps = `action IN ('deletion.request', 'deletion.cancel', 'deletion.complete')`;

const findSteps = `
  SELECT entry_no, at, action, deletion.deletion_request_id, deletion.resource_type
  FROM audit_entry
    --sqlite CROSS
    JOIN deletion ON deletion.deletion_request_id = audit_entry.subject
      AND deletion.organization_id = audit_entry.organization_id
  WHERE audit_entry.organization_id = $1 AND entry_no > $2 AND entry_no <= $3 AND ${steps}
  ORDER BY entry_no LIMIT $4`;

const findOrganizations = `
  SELECT DISTINCT organization_id FROM audit_entry
  WHERE entry_no > $1 AND entry_no <= $2 AND ${steps} AND organization_id IS NOT NULL`;

const findChange = `
  SELECT entry_no FROM audit_entry
  WHERE entry_no > $1 AND entry_no <= $2 AND action LIKE 'webhook.%' LIMIT 1`;

const toNews = reader<DeletionNews>({});

/** Undefined if another process sends to it, if nothing may be sent now, or if it is not as it was found. */
export function* claimEndpoint(
  found: FoundEndpoint,
  { claimant, now, until }: Lease,
): Statements<WebhookEndpoint | undefined> {
  const { organizationId, endpointId, entryNo, changeNo, testRequestedAt = null } = found;
  const latest = [now + webhookWaitsMsMax.lease, now + webhookWaitsMsMax.attempt] as const;
  const values = [organizationId, endpointId, claimant, until, now, ...latest] as const;
  const as = [entryNo, changeNo, testRequestedAt] as const;
  return yield* find(toEndpoint, claim, ...values, ...as);
}

export function* releaseEndpoint(lease: EndpointName & Pick<Lease, "claimant">): Statements<void> {
  yield* run(release, lease.organizationId, lease.endpointId, lease.claimant);
}

/** Call only where no other process can send. */
export function* releaseEveryEndpoint(): Statements<void> {
  yield* run(releaseAll);
}

/** Returns the endpoint as it is then; undefined if it was removed, or another process has claimed it. */
export function* storeResult({
  before,
  after,
  claimant,
}: Attempt): Statements<WebhookEndpoint | undefined> {
  const { organizationId, endpointId, testRequestedAt = null } = before;
  const { lastAttemptAt: at = null, lastResult = null, lastDeliveredAt = null } = after;
  const { disabledAt = null, disabledBecause = null, leaseUntil = null } = after;
  const name = [organizationId, endpointId, claimant] as const;
  const cursors = [before.entryNo, after.entryNo, before.changeNo, after.changeNo] as const;
  const tested = after.testRequestedAt === undefined ? testRequestedAt : null;
  const times = [tested, after.signalledAt ?? null, at, lastResult, lastDeliveredAt, leaseUntil];
  const failing = [after.failures, before.leaseUntil ?? null, after.failingSince ?? null];
  const waits = [after.nextAttemptAt ?? null, disabledAt, disabledBecause];
  const values = [...name, ...cursors, ...times, ...failing, ...waits];
  const settled = yield* find(toEndpoint, setResult, ...values);
  const isDisabled = disabledAt !== null && before.disabledAt === undefined;
  if (isDisabled && settled?.disabledAt === disabledAt) {
    const act = { actor: "worker", now: disabledAt };
    yield* audit("disable", before, {
      act,
      detail: { because: disabledBecause, result: lastResult },
    });
  }
  return settled;
}

/** Returns the endpoint after the change; undefined if there is no such endpoint. */
export function* changeEndpoint(
  { organizationId, endpointId }: EndpointName,
  { enable, from, test }: EndpointChange,
  act: Act,
): Statements<WebhookEndpoint | undefined> {
  const name = [organizationId, endpointId] as const;
  if ((yield* findEndpoint(endpointId, organizationId)) === undefined) return undefined;
  if (enable === true) yield* run(setEnabled, ...name);
  if (from !== undefined) yield* run(setCursors, ...name, from.entryNo, from.changeNo);
  if (test === true) yield* run(setTest, ...name, act.now);
  const verb = test === true ? "test" : "enable";
  yield* audit(verb, { organizationId, endpointId }, { act, detail: { from } });
  return yield* findEndpoint(endpointId, organizationId);
}

function* audit(
  verb: "disable" | "enable" | "test",
  { organizationId, endpointId: subject }: EndpointName,
  { act, detail }: { readonly act: Act; readonly detail: Readonly<Record<string, unknown>> },
): Statements<void> {
  yield* auditAct(
    { action: actions[`webhook.${verb}`].name, organizationId, subject, detail },
    act,
  );
}

/** The steps of the deletions of an organization, in the order in which they were committed. */
export function* listDeletionNews(query: DeletionNewsQuery): Statements<readonly DeletionNews[]> {
  const { organizationId, after, through, limit } = query;
  return yield* list(toNews, findSteps, organizationId, after, through, limit);
}

/** The organizations with steps of deletions in a part of the trail. */
export function* findOrganizationsWithNews({
  after,
  through,
}: TrailRange): Statements<readonly string[]> {
  const rows = yield* all<{ organization_id: string }>(findOrganizations, after, through);
  return rows.map(({ organization_id }) => organization_id);
}

/** Whether a part of the trail has an entry about an endpoint. */
export function* haveEndpointsChanged({ after, through }: TrailRange): Statements<boolean> {
  return (yield* get(findChange, after, through)) !== undefined;
}
