// The endpoints of webhooks in the store: made, found, listed and removed.

import type { Act } from "../../../store/interface/act.ts";
import { reader } from "../../../store/row/reader.ts";
import { find, list, run, type Statements } from "../../../store/sql/statement/statements.ts";
import {
  createSubscription,
  findSubscription,
  listSubscriptions,
  type Marked,
  removeSubscription,
  type SubscriptionKind,
} from "../../follow/store/subscription.ts";
import { lockAuditHead } from "../../../store/sql/trail/audit.ts";
import type { WebhookEndpoint } from "../webhook.ts";
import { actions, endpointsMax, errors } from "./rows.ts";

export interface EndpointName {
  readonly organizationId: string;
  readonly endpointId: string;
}

export interface NewEndpoint
  extends
    EndpointName,
    Marked,
    Pick<WebhookEndpoint, "url" | "events" | "description" | "types" | "keyCheck"> {
  /** Only changes after this arrival number are notified. */
  readonly changeNo: number;
}

/** What is stored of the creation of an endpoint, and returned when its request is repeated. */
export type EndpointKept = Pick<WebhookEndpoint, "endpointId" | "createdAt" | "keyCheck">;

export type EndpointRemoval = EndpointName & Marked;

/** Endpoints after this one, in the order of their keys. */
export interface EndpointPage {
  readonly after: EndpointName | undefined;
  readonly limit: number;
}

export const toEndpoint = reader<WebhookEndpoint>(
  { events: "json", types: "json" },
  { without: "claimant" },
);

const findById = `SELECT * FROM webhook_endpoint WHERE endpoint_id = $1`;

const findPage = `
  SELECT * FROM webhook_endpoint WHERE (organization_id, endpoint_id) > ($1, $2)
  ORDER BY organization_id, endpoint_id LIMIT $3`;

const insertOne = `
  INSERT INTO webhook_endpoint
    (organization_id, endpoint_id, types, created_at, created_by, change_no, entry_no, url, events,
     description, key_check)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

export const endpointKind: SubscriptionKind<
  WebhookEndpoint,
  NewEndpoint & { readonly name: string },
  EndpointKept
> = {
  table: "webhook_endpoint",
  nameColumn: "endpoint_id",
  order: "created_at, endpoint_id",
  read: toEndpoint,
  countMax: endpointsMax,
  tooMany: errors.too_many_webhook_endpoints,
  *insert({ organizationId, endpointId, types, changeNo, ...wanted }, { now, actor }) {
    const { url, events, description, keyCheck } = wanted;
    // Later entries of the trail do not exist yet.
    const { entry_no: entryNo } = yield* lockAuditHead();
    const listed = types === undefined ? null : JSON.stringify(types);
    const made = [organizationId, endpointId, listed, now, actor, changeNo, entryNo] as const;
    yield* run(insertOne, ...made, url, JSON.stringify(events), description, keyCheck);
  },
  requireSame: ({ endpointId }) => {
    throw new TypeError(`the endpoint ${endpointId} exists`);
  },
  kept: ({ endpointId, createdAt, keyCheck }) => ({ endpointId, createdAt, keyCheck }),
  actions: { create: actions["webhook.create"].name, remove: actions["webhook.remove"].name },
  // The path of a URL may be a secret of the receiver.
  detail: ({ url, events }, verb) => (verb === "create" ? { host: new URL(url).host, events } : {}),
};

export function* createEndpoint(endpoint: NewEndpoint, act: Act): Statements<EndpointKept> {
  return yield* createSubscription(endpointKind, { ...endpoint, name: endpoint.endpointId }, act);
}

export function* removeEndpoint(
  { endpointId: name, ...removal }: EndpointRemoval,
  act: Act,
): Statements<EndpointKept | undefined> {
  return yield* removeSubscription(endpointKind, { ...removal, name }, act);
}

/** Finds an endpoint of an organization; of any organization if none is named. */
export function* findEndpoint(
  endpointId: string,
  organizationId: string | undefined,
): Statements<WebhookEndpoint | undefined> {
  if (organizationId === undefined) return yield* find(toEndpoint, findById, endpointId);
  return yield* findSubscription(endpointKind, { organizationId, name: endpointId });
}

/** Lists the endpoints of an organization, oldest first. */
export function* listEndpoints(organizationId: string): Statements<readonly WebhookEndpoint[]> {
  return yield* listSubscriptions(endpointKind, organizationId);
}

/** Lists the endpoints of all organizations, in the order of their keys. */
export function* listAllEndpoints({
  after,
  limit,
}: EndpointPage): Statements<readonly WebhookEndpoint[]> {
  const { organizationId = "", endpointId = "" } = after ?? {};
  return yield* list(toEndpoint, findPage, organizationId, endpointId, limit);
}
