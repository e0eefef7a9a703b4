// The endpoints of webhooks: created, listed, changed and removed, each with an entry of the audit trail.

import type { VerbOn } from "../../../domain/trail-action.ts";
import { limits } from "../../../domain/limits.ts";
import type { WebhookEndpoint } from "../../../domain/webhook.ts";
import type { Act } from "../../interface/act.ts";
import type {
  EndpointChange,
  EndpointName,
  EndpointPage,
  EndpointRemoval,
  NewEndpoint,
  NewEndpointOutcome,
  RemovalOutcome,
} from "../../interface/webhooks.ts";
import { reader } from "../../row/reader.ts";
import { findOutcome, storeOutcome } from "../access/idempotency.ts";
import { lockOrganization } from "../access/organization.ts";
import { find, get, list, run, type Statements } from "../statement/statements.ts";
import { auditAct, lockAuditHead } from "../trail/audit.ts";

export const toEndpoint = reader<WebhookEndpoint>(
  { events: "json", types: "json" },
  { without: "claimant" },
);

const countOf = `SELECT count(*) AS endpoints FROM webhook_endpoint WHERE organization_id = $1`;

const insertOne = `
  INSERT INTO webhook_endpoint
    (organization_id, endpoint_id, url, events, description, types, created_at, created_by,
     key_check, entry_no, change_no)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

const findOne = `SELECT * FROM webhook_endpoint WHERE organization_id = $1 AND endpoint_id = $2`;

const findById = `SELECT * FROM webhook_endpoint WHERE endpoint_id = $1`;

const findOfOrganization = `
  SELECT * FROM webhook_endpoint WHERE organization_id = $1 ORDER BY created_at, endpoint_id`;

const findPage = `
  SELECT * FROM webhook_endpoint
  WHERE (organization_id, endpoint_id) > ($1, $2) ORDER BY organization_id, endpoint_id LIMIT $3`;

const removeOne = `DELETE FROM webhook_endpoint WHERE organization_id = $1 AND endpoint_id = $2`;

const removeOfOrganization = `DELETE FROM webhook_endpoint WHERE organization_id = $1`;

/** Another end of the lease: if an attempt in progress fails, this is not counted. */
const setEnabled = `
  UPDATE webhook_endpoint
  SET disabled_at = NULL, disabled_because = NULL, failures = 0, failing_since = NULL,
    next_attempt_at = NULL, lease_until = lease_until - 1
  WHERE organization_id = $1 AND endpoint_id = $2`;

const setCursors = `
  UPDATE webhook_endpoint SET entry_no = $3, change_no = $4
  WHERE organization_id = $1 AND endpoint_id = $2`;

const setTest = `
  UPDATE webhook_endpoint SET test_requested_at = $3
  WHERE organization_id = $1 AND endpoint_id = $2`;

const setSecret = `
  UPDATE webhook_endpoint
  SET secret_version = secret_version + 1, key_check = $3, former_secret_until = $4
  WHERE organization_id = $1 AND endpoint_id = $2`;

/** The trail shows the host of a URL; its path may be a secret of the receiver. */
export function* createEndpoint(
  { idempotency, ...wanted }: NewEndpoint,
  act: Act,
): Statements<NewEndpointOutcome> {
  const { organizationId, endpointId, url, events } = wanted;
  const known = yield* findOutcome(organizationId, idempotency, act.now);
  if (known === "idempotency_reused") return known;
  if (known !== undefined) return JSON.parse(known) as NewEndpointOutcome;
  const organization = yield* lockOrganization(organizationId);
  if (organization === undefined || organization.closedAt !== undefined)
    return "no_such_organization";
  const counted = yield* get<{ endpoints: number }>(countOf, organizationId);
  if ((counted?.endpoints ?? 0) >= limits.webhookEndpointsMax) return "too_many";
  const outcome = { endpointId, createdAt: act.now };
  yield* storeOutcome(organizationId, idempotency, { outcome, now: act.now });
  const { entryNo } = yield* headOfTrail();
  yield* run(
    insertOne,
    organizationId,
    endpointId,
    url,
    JSON.stringify(events),
    wanted.description,
    wanted.types === undefined ? null : JSON.stringify(wanted.types),
    act.now,
    act.actor,
    wanted.keyCheck,
    entryNo,
    wanted.changeNo,
  );
  const detail = { host: new URL(url).host, events };
  yield* audit("create", wanted, { act, detail });
  return outcome;
}

/** Later entries of the trail do not exist yet. */
function* headOfTrail(): Statements<{ readonly entryNo: number }> {
  return { entryNo: (yield* lockAuditHead()).entry_no };
}

export function* removeEndpoint(
  { idempotency, ...name }: EndpointRemoval,
  act: Act,
): Statements<RemovalOutcome> {
  const { organizationId, endpointId } = name;
  const known = yield* findOutcome(organizationId, idempotency, act.now);
  if (known === "idempotency_reused") return known;
  if (known !== undefined) return "removed";
  if ((yield* run(removeOne, organizationId, endpointId)) === 0) return "no_such_endpoint";
  yield* storeOutcome(organizationId, idempotency, { outcome: { endpointId }, now: act.now });
  yield* audit("remove", name, { act, detail: {} });
  return "removed";
}

/** Returns the endpoint after the change; undefined if there is no such endpoint. */
export function* changeEndpoint(
  { organizationId, endpointId }: EndpointName,
  { enable, from, test, secret }: EndpointChange,
  act: Act,
): Statements<WebhookEndpoint | undefined> {
  const name = [organizationId, endpointId] as const;
  if ((yield* get(findOne, ...name)) === undefined) return undefined;
  if (enable === true) yield* run(setEnabled, ...name);
  if (from !== undefined) yield* run(setCursors, ...name, from.entryNo, from.changeNo);
  if (test === true) yield* run(setTest, ...name, act.now);
  if (secret !== undefined) {
    yield* run(setSecret, ...name, secret.keyCheck, secret.formerUntil ?? null);
  }
  const verb = secret !== undefined ? "rotate" : test === true ? "test" : "enable";
  const detail = { from, formerUntil: secret?.formerUntil };
  yield* audit(verb, { organizationId, endpointId }, { act, detail });
  return yield* find(toEndpoint, findOne, ...name);
}

export function* audit(
  verb: VerbOn<"webhook">,
  { organizationId, endpointId: subject }: EndpointName,
  { act, detail }: { readonly act: Act; readonly detail: Readonly<Record<string, unknown>> },
): Statements<void> {
  yield* auditAct({ action: `webhook.${verb}`, organizationId, subject, detail }, act);
}

/** Finds an endpoint of an organization; of any organization if none is named. */
export function* findEndpoint(
  endpointId: string,
  organizationId: string | undefined,
): Statements<WebhookEndpoint | undefined> {
  if (organizationId === undefined) return yield* find(toEndpoint, findById, endpointId);
  return yield* find(toEndpoint, findOne, organizationId, endpointId);
}

/** Lists the endpoints of an organization, oldest first. */
export function* listEndpoints(organizationId: string): Statements<readonly WebhookEndpoint[]> {
  return yield* list(toEndpoint, findOfOrganization, organizationId);
}

/** Lists the endpoints of all organizations, in the order of their keys. */
export function* listAllEndpoints({
  after,
  limit,
}: EndpointPage): Statements<readonly WebhookEndpoint[]> {
  const { organizationId = "", endpointId = "" } = after ?? {};
  return yield* list(toEndpoint, findPage, organizationId, endpointId, limit);
}

export function* removeEndpointsOf(organizationId: string): Statements<void> {
  yield* run(removeOfOrganization, organizationId);
}
