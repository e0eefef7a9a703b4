// How far a move of a store has come, and that it ended early. Moves nothing.

/** read: sees what there is. copy: brings it over. verify: sees what is there. */
export type MovePhase = "read" | "copy" | "verify";

export interface MoveStep {
  readonly phase: MovePhase;
  readonly rows: number;
  /** Undefined while nobody knows how many there are. */
  readonly allRows: number | undefined;
  readonly table: string;
}

/** The move ended before its end, with everything up to there kept; the same move goes on from it. */
export class MoveStopped extends Error {
  override readonly name = "MoveStopped";
}
