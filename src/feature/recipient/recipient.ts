// A registered reader of the feed of changes. The service stores what it has acknowledged, and tells it what was
// erased.

import { recipientNameCharactersMax } from "./store/rows.ts";
import type { ResourceType } from "../../domain/record-type.ts";

export interface Recipient {
  readonly organizationId: string;
  /** Unique in the organization. */
  readonly name: string;
  /** The record types that it receives, in the order of the types. */
  readonly types: readonly ResourceType[];
  readonly createdAt: number;
  /** The latest arrival number when it was registered: it is not told what was erased before. */
  readonly sinceNo: number;
  /** The arrival number of the last event that it has acknowledged; 0 before the first. */
  readonly acknowledgedNo: number;
  /** The same position as the recipient sent it, as an offset, and when; undefined before the first. */
  readonly acknowledgedOffset: string | undefined;
  readonly acknowledgedAt: number | undefined;
}

export interface WaitingRecipient extends Recipient {
  /** When its oldest unacknowledged notice was written; undefined if there is none. */
  readonly waitingSince: number | undefined;
}

export interface ListedRecipient extends WaitingRecipient {
  /** When its oldest unacknowledged event arrived, as far as events were searched. */
  readonly behindSince: number | undefined;
}

/** What it has acknowledged depends on the records of all its types; for somebody who may not know of some of them. */
export function withoutPosition<Known extends Recipient>(recipient: Known): Known {
  return { ...recipient, acknowledgedOffset: undefined, acknowledgedAt: undefined };
}

/** Completes "must be" for the name. */
export const recipientNameRule = `1 to ${recipientNameCharactersMax} letters, digits, dots, hyphens and underscores, of which the first is a letter or a digit`;
