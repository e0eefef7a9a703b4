// A registered reader of the feed of changes. The service keeps how far it has acknowledged what it read, and tells it
// what was erased.

import { limits } from "./limits.ts";
import type { ResourceType } from "./record-type.ts";

export interface Recipient {
  readonly organizationId: string;
  /** Unique in the organization. */
  readonly name: string;
  /** The record types that it takes, in the order of the types. */
  readonly types: readonly ResourceType[];
  readonly createdAt: number;
  /** The latest arrival number when it was registered: it learns nothing that was erased before. */
  readonly sinceNo: number;
  /** The arrival number of the last event that it has acknowledged; 0 before the first. */
  readonly acknowledgedNo: number;
  /** The same as the offset that it sent, and when it sent it; undefined before the first. */
  readonly acknowledgedOffset: string | undefined;
  readonly acknowledgedAt: number | undefined;
}

export interface WaitingRecipient extends Recipient {
  /** When the oldest notice was written that it has not acknowledged; undefined if there is none. */
  readonly waitingSince: number | undefined;
}

export interface ListedRecipient extends WaitingRecipient {
  /** When the oldest event arrived that it takes and has not acknowledged, as far as it was looked for. */
  readonly behindSince: number | undefined;
}

/**
 * The recipient as somebody sees it who may not know of all types that it takes: where and when it acknowledges depends
 * on their records.
 */
export function withoutPosition<Known extends Recipient>(recipient: Known): Known {
  return { ...recipient, acknowledgedOffset: undefined, acknowledgedAt: undefined };
}

/** What a name has to be, to complete "must be". */
export const recipientNameRule = `1 to ${limits.recipientNameCharactersMax} letters, digits, dots, hyphens and underscores, of which the first is a letter or a digit`;
