// Imports of records that run, or have ended within the last weeks: who imports what, and the progress. Contains no
// content.

export interface ImportProgress {
  /** Rows read; the other three say what became of them. */
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
  /** Undefined while it runs, and if its process has ended without a report. */
  readonly outcome: ImportOutcome | undefined;
}

export interface ImportReport extends ImportProgress {
  readonly importId: string;
  readonly organizationId: string;
  readonly updatedAt: number;
  /** Given at the end. */
  readonly outcome?: ImportOutcome | undefined;
}
