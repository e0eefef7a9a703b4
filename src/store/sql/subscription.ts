// Who follows an organization: a recipient reads the feed of changes and acknowledges it, an endpoint of webhooks is
// sent messages. Both are rows of one table, which are made, listed and removed in the same way.

import { AppError, type ErrorKind } from "../../domain/error.ts";
import type { Recipient } from "../../feature/recipient/recipient.ts";
import type { WebhookEndpoint } from "../../feature/webhook/webhook.ts";
import type { Act } from "../interface/act.ts";
import type {
  EndpointKept,
  EndpointPage,
  EndpointRemoval,
  Marked,
  NewEndpoint,
  NewRecipient,
} from "../../feature/subscription/store/interface.ts";
import { type Reader, reader } from "../row/reader.ts";
import { findOutcome, storeOutcome } from "./access/idempotency.ts";
import { lockOrganization } from "./access/organization.ts";
import { findLatestArrival } from "./record/record.ts";
import { find, get, list, run, type Statements } from "./statement/statements.ts";
import { auditAct, lockAuditHead } from "./trail/audit.ts";
import { actions, endpointsMax, errors, recipientsMax } from "../../feature/subscription/store/rows.ts";
import { endTold } from "./deletion/told-recipient.ts";

/** The columns of recipients, as they are read. */
export const recipientColumns =
  "organization_id, name, types, created_at, since_no, change_no AS acknowledged_no, " +
  "acknowledged_offset, acknowledged_at";

export const toRecipient = reader<Recipient>({ types: "json" });

/** The columns of endpoints, as they are read. */
export const endpointColumns = "*, name AS endpoint_id";

export const toEndpoint = reader<WebhookEndpoint>(
  { events: "json", types: "json" },
  { without: "kind name since_no acknowledged_offset acknowledged_at claimant" },
);

const selectRecipients = `SELECT ${recipientColumns} FROM subscription WHERE kind = 'recipient'`;

const selectEndpoints = `SELECT ${endpointColumns} FROM subscription WHERE kind = 'webhook'`;

const findByName = `${selectEndpoints} AND name = $1`;

const findPage = `
  ${selectEndpoints} AND (organization_id, name) > ($1, $2)
  ORDER BY organization_id, name LIMIT $3`;

/** A registration excludes concurrent erasures of records; erasures don't exclude each other. */
const lockRegistrations = `
  --sqlite SELECT 1
  --postgres SELECT pg_advisory_xact_lock(27, 66)
  `;

const insertOne = `
  INSERT INTO subscription
    (kind, organization_id, name, types, created_at, created_by, since_no, change_no, entry_no,
     url, events, description, key_check)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;

const removeOne = `DELETE FROM subscription WHERE kind = $1 AND organization_id = $2 AND name = $3`;

export interface Name extends Marked {
  readonly organizationId: string;
  readonly name: string;
}

interface Wanted extends Name {
  readonly types: readonly string[] | undefined;
  readonly changeNo: number;
  readonly endpoint?: NewEndpoint;
}

interface Row {
  readonly types: readonly string[] | undefined;
}

interface Kind<Of extends Row, Kept> {
  readonly kind: "recipient" | "webhook";
  readonly findOne: string;
  readonly findOfOrganization: string;
  readonly read: Reader<Of>;
  readonly countMax: number;
  readonly tooMany: ErrorKind;
  /** What the reply to a repeated request needs, which is stored. */
  readonly kept: (row: Of) => Kept;
  /** For the audit trail, which shows the host of a URL; its path may be a secret of the receiver. */
  readonly detail: (row: Of, verb: "create" | "remove") => Readonly<Record<string, unknown>>;
  readonly end?: (one: Name, now: number) => Statements<unknown>;
}

const recipients: Kind<Recipient, Recipient> = {
  kind: "recipient",
  findOne: `${selectRecipients} AND organization_id = $1 AND name = $2`,
  findOfOrganization: `${selectRecipients} AND organization_id = $1 ORDER BY name`,
  read: toRecipient,
  countMax: recipientsMax,
  tooMany: errors.too_many_recipients,
  kept: (recipient) => recipient,
  detail: ({ types }) => ({ types: [...types] }),
  // The purge stores the rest.
  end: (one, now) => endTold(one, Number.MAX_SAFE_INTEGER, now),
};

const endpoints: Kind<WebhookEndpoint, EndpointKept> = {
  kind: "webhook",
  findOne: `${selectEndpoints} AND organization_id = $1 AND name = $2`,
  findOfOrganization: `${selectEndpoints} AND organization_id = $1 ORDER BY created_at, name`,
  read: toEndpoint,
  countMax: endpointsMax,
  tooMany: errors.too_many_webhook_endpoints,
  kept: ({ endpointId, createdAt }) => ({ endpointId, createdAt }),
  detail: ({ url, events }, verb) => (verb === "create" ? { host: new URL(url).host, events } : {}),
};

function* findOf<Of extends Row>(
  { read, findOne }: Kind<Of, unknown>,
  { organizationId, name }: Name,
): Statements<Of | undefined> {
  return yield* find(read, findOne, organizationId, name);
}

/**
 * Locks the organization, so that concurrent creations keep to the bound. Throws AppError credential_revoked,
 * recipient_exists and that of too many.
 */
function* create<Of extends Row, Kept extends object>(
  of: Kind<Of, Kept>,
  wanted: Wanted,
  act: Act,
): Statements<Kept> {
  return yield* once(wanted, act.now, { change: () => add(of, wanted, act) });
}

function* add<Of extends Row, Kept>(
  of: Kind<Of, Kept>,
  wanted: Wanted,
  act: Act,
): Statements<Kept> {
  const { organizationId, name, types, changeNo, endpoint } = wanted;
  const organization = yield* lockOrganization(organizationId);
  if (organization === undefined || organization.closedAt !== undefined)
    throw new AppError("credential_revoked");
  const known = yield* findOf(of, wanted);
  if (known !== undefined) {
    if (JSON.stringify(known.types) === JSON.stringify(types)) return of.kept(known);
    throw new AppError(errors.recipient_exists);
  }
  const all = yield* list(of.read, of.findOfOrganization, organizationId);
  if (all.length >= of.countMax) throw new AppError(of.tooMany);
  const sinceNo = yield* findLatestArrival();
  // Later entries of the trail do not exist yet.
  const { entry_no: entryNo } = yield* lockAuditHead();
  const listed = types === undefined ? null : JSON.stringify(types);
  const place = [sinceNo, changeNo, entryNo] as const;
  const common = [of.kind, organizationId, name, listed, act.now, act.actor, ...place] as const;
  yield* run(insertOne, ...common, ...valuesOf(endpoint));
  const row = yield* findOf(of, wanted);
  if (row === undefined) throw new TypeError("the subscription was not added");
  yield* audit(of, "create", { one: wanted, row, act });
  return of.kept(row);
}

/** Returns what was removed; undefined if there is nothing of this name. */
function* remove<Of extends Row, Kept extends object>(
  of: Kind<Of, Kept>,
  one: Name,
  act: Act,
): Statements<Kept | undefined> {
  return yield* once(one, act.now, { change: () => take(of, one, act) });
}

function* take<Of extends Row, Kept>(
  of: Kind<Of, Kept>,
  one: Name,
  act: Act,
): Statements<Kept | undefined> {
  const row = yield* findOf(of, one);
  if (row === undefined) return undefined;
  if ((yield* run(removeOne, of.kind, one.organizationId, one.name)) === 0) return undefined;
  if (of.end !== undefined) yield* of.end(one, act.now);
  yield* audit(of, "remove", { one, row, act });
  return of.kept(row);
}

function* audit<Of extends Row>(
  { kind, detail }: Kind<Of, unknown>,
  verb: "create" | "remove",
  { one, row, act }: { readonly one: Name; readonly row: Of; readonly act: Act },
): Statements<void> {
  const { organizationId, name: subject } = one;
  const note = { organizationId, subject, detail: detail(row, verb) };
  yield* auditAct({ ...note, action: actions[`${kind}.${verb}`].name }, act);
}

function valuesOf(endpoint: NewEndpoint | undefined): readonly (string | number | null)[] {
  if (endpoint === undefined) return [null, null, null, null];
  const { url, events, description, keyCheck } = endpoint;
  return [url, JSON.stringify(events), description, keyCheck];
}

export function* findRecipient(one: Name): Statements<Recipient | undefined> {
  return yield* findOf(recipients, one);
}

export function* listRecipients(organizationId: string): Statements<readonly Recipient[]> {
  return yield* list(toRecipient, recipients.findOfOrganization, organizationId);
}

export function* createRecipient(wanted: NewRecipient, act: Act): Statements<Recipient> {
  // First, so that nothing is locked while this waits.
  yield* get(lockRegistrations);
  return yield* create(recipients, { ...wanted, changeNo: 0 }, act);
}

export function* removeRecipient(one: Name, act: Act): Statements<Recipient | undefined> {
  return yield* remove(recipients, one, act);
}

export function* createEndpoint(endpoint: NewEndpoint, act: Act): Statements<EndpointKept> {
  return yield* create(endpoints, { ...endpoint, name: endpoint.endpointId, endpoint }, act);
}

export function* removeEndpoint(
  { endpointId: name, ...removal }: EndpointRemoval,
  act: Act,
): Statements<EndpointKept | undefined> {
  return yield* remove(endpoints, { ...removal, name }, act);
}

/** Finds an endpoint of an organization; of any organization if none is named. */
export function* findEndpoint(
  endpointId: string,
  organizationId: string | undefined,
): Statements<WebhookEndpoint | undefined> {
  if (organizationId === undefined) return yield* find(toEndpoint, findByName, endpointId);
  return yield* findOf(endpoints, { organizationId, name: endpointId });
}

/** Lists the endpoints of an organization, oldest first. */
export function* listEndpoints(organizationId: string): Statements<readonly WebhookEndpoint[]> {
  return yield* list(toEndpoint, endpoints.findOfOrganization, organizationId);
}

/** Lists the endpoints of all organizations, in the order of their keys. */
export function* listAllEndpoints({
  after,
  limit,
}: EndpointPage): Statements<readonly WebhookEndpoint[]> {
  const { organizationId = "", endpointId = "" } = after ?? {};
  return yield* list(toEndpoint, findPage, organizationId, endpointId, limit);
}

interface Once<Outcome> {
  readonly change: () => Statements<Outcome>;
  readonly isKept?: (outcome: NonNullable<Outcome>) => boolean;
}

/**
 * Returns the outcome of the first request with this Idempotency-Key, if there was one. Throws AppError
 * idempotency_reused.
 */
export function* once<Outcome extends object | undefined>(
  { organizationId, idempotency }: Marked & { readonly organizationId: string },
  now: number,
  { change, isKept = () => true }: Once<Outcome>,
): Statements<Outcome> {
  const known = yield* findOutcome(organizationId, idempotency);
  if (known === "idempotency_reused") throw new AppError("idempotency_reused");
  if (known !== undefined) return JSON.parse(known) as Outcome;
  const outcome = yield* change();
  if (outcome !== undefined && isKept(outcome))
    yield* storeOutcome(organizationId, idempotency, { outcome, now });
  return outcome;
}

const removeAll = `
  DELETE FROM subscription WHERE kind IN ('recipient', 'webhook') AND organization_id = $1`;

export function* removeSubscriptionsOf(organizationId: string): Statements<void> {
  yield* run(removeAll, organizationId);
}
