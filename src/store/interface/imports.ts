// Imports of records that run, or have ended within the last weeks: who imports what, and the progress. Contains no
// content.

export interface ImportProgress {
  /** The rows that were read; the other three numbers are their results. */
  readonly rows: number;
  readonly written: number;
  readonly unchanged: number;
  readonly refused: number;
}

export type ImportOutcome = "finished" | "stopped" | "failed";

export interface NewImportRun {
  readonly importId: string;
  readonly organizationId: string;
  readonly resourceType: string;
  readonly source: "console" | "command";
  readonly startedAt: number;
  readonly startedBy: string;
}

export interface ImportRun extends NewImportRun, ImportProgress {
  /** When it last reported its progress. */
  readonly updatedAt: number;
  /** Undefined while it runs, or if its process ended without a report. */
  readonly outcome: ImportOutcome | undefined;
}

export interface ImportReport extends ImportProgress {
  readonly importId: string;
  readonly organizationId: string;
  readonly updatedAt: number;
  /** Present when the import ends. */
  readonly outcome?: ImportOutcome | undefined;
}
