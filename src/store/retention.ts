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
   * Evaluates again, in the same transaction, the first deletions of the organization that wait for a floor. `wakeMore`
   * does so with the others.
   */
  setFloor(change: FloorChange, act: Act): Promise<FloorOutcome>;
  /** A bounded number of them; returns how many there were. */
  wakeMore(organizationId: string): Promise<number>;
  /** In the order of organizations and types. Without organizationId: of all organizations. */
  listFloors(organizationId: string | undefined): Promise<readonly RetentionFloor[]>;
}
