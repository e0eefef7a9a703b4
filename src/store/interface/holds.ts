// Legal holds, on every engine. A record may have several; no deletion erases or changes it before the last is released.

import type { Hold } from "../../domain/access.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { Act } from "./act.ts";

export type NewHold = Omit<Hold, "placedAt" | "placedBy">;

export type HoldOutcome = Hold | "no_such_record" | "being_erased" | "too_many_holds";

export interface HoldFilter {
  readonly organizationId?: string | undefined;
  /** Starts after the hold with this id. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface HoldStore {
  place(hold: NewHold, act: Act): Promise<HoldOutcome>;
  /** Releases a hold; undefined if there is no such hold. */
  release(holdId: string, act: Act): Promise<Hold | undefined>;
  find(holdId: string): Promise<Hold | undefined>;
  /** All holds on these records, record by record, oldest first. The records may be of several organizations. */
  ofRecords(keys: readonly RecordKey[]): Promise<readonly Hold[]>;
  /** In the order of their ids. */
  list(filter: HoldFilter): Promise<readonly Hold[]>;
}
