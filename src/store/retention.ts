// Retention floors, on every engine: an organization's rules, at most one for each record type. Plans of deletions obey them.

import type { RetentionFloor } from "../domain/retention/floor.ts";
import type { Act } from "./act.ts";

/** Without `rule`: the floor of the type is removed. */
export interface FloorChange {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly rule: Pick<RetentionFloor, "keepDays" | "countedFrom"> | undefined;
}

/** `above_ceiling`: the organization deletes records earlier than the floor allows. Nothing was changed. */
export type FloorOutcome =
  | { readonly result: "changed" | "unchanged" }
  | { readonly result: "no_such_organization" }
  | { readonly result: "above_ceiling"; readonly retainDays: number };

export interface RetentionStore {
  /**
   * In the same transaction, makes the first deletions of the organization due that wait for a floor; `wakeFrom` the others.
   */
  setFloor(change: FloorChange, act: Act): Promise<FloorOutcome>;
  /** A bounded number, after this one in the order of their ids. Returns the last one; undefined at the end. */
  wakeFrom(organizationId: string, after: string): Promise<string | undefined>;
  /** The same for restricted sets of the organization, which wait for its floors too. */
  wakeSetsFrom(organizationId: string, after: string): Promise<string | undefined>;
  /** In the order of organizations and types. Without organizationId: of all organizations. */
  listFloors(organizationId: string | undefined): Promise<readonly RetentionFloor[]>;
}
