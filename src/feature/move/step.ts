// The progress of a move of a store, and its interruption.

/** copy: reads the source and writes the target. verify: reads the target back. */
export type MovePhase = "copy" | "verify";

export interface MoveStep {
  readonly phase: MovePhase;
  readonly rows: number;
  /** Undefined while the number is unknown. */
  readonly allRows: number | undefined;
  readonly table: string;
}

/** The move was interrupted; the target has to be emptied before it is repeated. */
export class MoveStopped extends Error {
  override readonly name = "MoveStopped";
}
