// Opens a writer of records for another thread of a serving process: on SQLite a port to the writer thread, on
// PostgreSQL connections of its own.

import type { RecordWrite, WriteOutcome } from "../domain/record/record-write.ts";
import { type PackedOutcome, unpackOutcome } from "./group/packed-outcome.ts";
import type { SharedWriterData } from "./interface/store.ts";

export interface OpenRecordWriter {
  /** How many lines of a stream it writes at once: on SQLite everybody waits for them. */
  readonly streamLinesMax: number;
  /** See RecordStore.writeRecords. */
  writeRecords(write: RecordWrite): Promise<WriteOutcome>;
  /** See RecordStore.refuseWrites; on SQLite the main thread's store does it for all threads. */
  refuseWrites(): void;
  /** Finishes accepted writes, then closes. */
  close(): Promise<void>;
}

/** Loads only the engine that is used, and of that only what writes records: a stream waits for it. */
export async function openRecordWriter(shared: SharedWriterData): Promise<OpenRecordWriter> {
  if (shared.engine === "postgres") {
    const { openPostgresWriter } = await import("./postgres/open-postgres-writer.ts");
    return { ...openPostgresWriter(shared), streamLinesMax: 1_000 };
  }
  const { useWriterPort } = await import("./sqlite/commit/writer-client.ts");
  const writer = useWriterPort(shared.port);
  return {
    streamLinesMax: 500,
    writeRecords: (write) =>
      writer.submit(write).then((packed) => unpackOutcome(packed as PackedOutcome)),
    refuseWrites: () => undefined,
    close: () => writer.close(),
  };
}
