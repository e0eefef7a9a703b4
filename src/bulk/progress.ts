// The progress of an import or export, independent of how it is shown.

export interface BulkStep {
  readonly rows: number;
  /** The part that is done, from 0 to 1; undefined if the total is unknown. */
  readonly share: number | undefined;
  readonly note: string;
}

export interface BulkProgress {
  show(step: BulkStep): void;
  close(): void;
}
