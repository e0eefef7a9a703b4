// The progress of an import or export, independent of how it is shown.

export interface BulkStep {
  readonly rows: number;
  /** The part that is done, from 0 to 1; undefined if the total is unknown. */
  readonly share: number | undefined;
  /** Such as `3 refused`; may be empty. */
  readonly note: string;
  /** Present for imports. */
  readonly counts?: Counts;
}

/** The number of rows of an import by outcome. */
export interface Counts {
  readonly written: number;
  readonly unchanged: number;
  readonly refused: number;
}

export interface BulkProgress {
  show(step: BulkStep): void;
  /** Removes the progress from the screen. */
  close(): void;
}
