// The progress of a move of a store, and its interruption.

/** read: summarizes the source. copy: copies it. verify: summarizes the target. */
export type MovePhase = "read" | "copy" | "verify";

export interface MoveStep {
  readonly phase: MovePhase;
  readonly rows: number;
  /** Undefined while the number is unknown. */
  readonly allRows: number | undefined;
  readonly table: string;
}

/** The move was interrupted; repeating it continues from what has been copied. */
export class MoveStopped extends Error {
  override readonly name = "MoveStopped";
}
