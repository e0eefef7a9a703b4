// The definition of an abuse: how it is prepared, run and checked, and what it may use. Knows no
// abuse by name.

import type { Engine } from "../campaign/campaign.ts";
import type { Random } from "../support/random.ts";
import type { Tally } from "./tally.ts";

/** A name for the command line and the report. */
export type Title = readonly [name: string, what: string];

/** The server, and the organization that commits the abuse. */
export interface Target {
  readonly address: string;
  readonly organizationId: string;
  readonly token: string;
  readonly apiKey: string;
  /** The settings of the server, for commands that run next to it. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface AbuseContext {
  readonly target: Target;
  readonly random: Random;
  readonly tally: Tally;
  /** The first in a campaign, the second in a short run. */
  amount(full: number, short: number): number;
  /** False once the time of the run is over. */
  mayGoOn(): boolean;
  /** Resolves after the time, or when the time of the run is over. */
  pause(milliseconds: number): Promise<void>;
}

/** An abuse that is ready to run. */
export interface Attack {
  /** Resolves soon after `mayGoOn` returns false, with all of its own connections closed. */
  run(): Promise<void>;
  /** What the server did that it must not do; checked after the run. */
  check?(): Promise<readonly string[]>;
}

export interface Abuse {
  readonly name: string;
  /** For the reader of the report. */
  readonly what: string;
  /** Whether Node, the system and the abuser alone delay others, so that a run measures this floor as well. */
  readonly hasFloor?: boolean;
  /** The only engine that it applies to. */
  readonly engine?: Engine;
  /**
   * Does everything that is not part of the abuse itself, such as adding the records that it
   * deletes.
   */
  prepare(context: AbuseContext): Attack | Promise<Attack>;
}
