// The interface of the floor's store; each engine has one.

import type { Payload } from "../src/domain/record-type.ts";

/** add: refused if the record exists. append: creates or changes it. update: refused if it does not exist. */
export type FloorMode = "add" | "append" | "update";

/** True if it was written, false if it was refused. */
export type FloorOutcome = boolean;

export interface Existence {
  readonly first_seen: unknown;
  readonly last_seen: unknown;
}

export interface FloorStore {
  /** Resolves after the commit. */
  write(mode: FloorMode, items: readonly Payload[]): Promise<FloorOutcome>;
  find(id: string): Promise<Existence | undefined> | Existence | undefined;
  close(): Promise<void>;
}
