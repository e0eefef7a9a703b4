// Writes the results of the checks of a store for people.

/** The findings of a kind that are listed. */
export const findingsMax = 100;

export interface IntegrityReport {
  readonly ok: boolean;
  readonly findings: readonly string[];
  /** For information only; undefined if there is none. */
  readonly notes?: readonly string[];
}

export interface ErasureFinding {
  /** True if erased data may still be found. */
  readonly severe: boolean;
  readonly text: string;
}

export interface ErasureReport {
  readonly findings: readonly ErasureFinding[];
}
