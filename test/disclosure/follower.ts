// Somebody who follows an organization besides its caller, and may know of everything. The caller must learn nothing
// from how far this has come.

import type { App } from "../../src/actions/app.ts";
import type { Scenario } from "./scenario.ts";

export interface Follower {
  create(scenario: Scenario): Promise<void>;
  /** What it is sent. */
  deliver?(): Promise<readonly string[]>;
  /** It has read everything, of which the last were this many hidden events. */
  acknowledge?(hiddenCount: number): Promise<void>;
  /** What an operator may pass on of it. */
  list?(shown: App): Promise<readonly object[]>;
}
