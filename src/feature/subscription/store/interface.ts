// Who follows an organization, in the store: recipients of the feed of changes, and endpoints of webhooks.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { IdempotencyMark } from "../../../domain/record/record-write.ts";
import type { Recipient } from "../../recipient/recipient.ts";
import type { WebhookEndpoint } from "../../webhook/webhook.ts";

export interface Marked {
  /** Present with an Idempotency-Key: the same request has the same reply. */
  readonly idempotency?: IdempotencyMark | undefined;
}

export type NewRecipient = Pick<Recipient, "organizationId" | "name" | "types"> & Marked;

export type RecipientName = Pick<Recipient, "organizationId" | "name">;

/** Recipients of all organizations after this one, in the order of their keys. */
export interface RecipientPage {
  readonly after: RecipientName | undefined;
  readonly limit: number;
}

export interface NewEndpoint
  extends
    Pick<
      WebhookEndpoint,
      "endpointId" | "organizationId" | "url" | "events" | "description" | "types" | "keyCheck"
    >,
    Marked {
  /** Only changes after this arrival number are notified. */
  readonly changeNo: number;
}

/** What is stored of the creation of an endpoint, and returned when its request is repeated. */
export type EndpointKept = Pick<WebhookEndpoint, "endpointId" | "createdAt">;

export interface EndpointName {
  readonly organizationId: string;
  readonly endpointId: string;
}

export type EndpointRemoval = EndpointName & Marked;

/** Missing members stay unchanged. */
export interface EndpointChange {
  /** Ends the disabled state and the back-off, and ignores the failure of an attempt in progress. */
  readonly enable?: true;
  /** Where to continue: the entry of the audit trail, and the arrival number. */
  readonly from?: { readonly entryNo: number; readonly changeNo: number };
  readonly test?: true;
  readonly secret?: { readonly keyCheck: number; readonly formerUntil: number | undefined };
}

/** Endpoints after this one, in the order of their keys. */
export interface EndpointPage {
  readonly after: EndpointName | undefined;
  readonly limit: number;
}

export interface Lease {
  readonly claimant: string;
  readonly now: number;
  readonly until: number;
}

/** What a message depends on: the endpoint is claimed only if it is still so. */
export type FoundEndpoint = EndpointName &
  Pick<WebhookEndpoint, "entryNo" | "changeNo" | "keyCheck" | "testRequestedAt">;

export interface Cursors {
  readonly entryNo: number;
  readonly changeNo: number;
}

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
