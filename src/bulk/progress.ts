// How far an import or an export has come. Says nothing of how it is shown.

export interface BulkStep {
  readonly rows: number;
  /** Of the whole, from 0 to 1; undefined where the total is unknown. */
  readonly share: number | undefined;
  /** Such as `3 refused`; empty for nothing to say. */
  readonly note: string;
}

export interface BulkProgress {
  show(step: BulkStep): void;
  /** Removes what is on the screen. */
  close(): void;
}
