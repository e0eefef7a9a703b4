// Opens what writes records in another thread of a process that has opened the store: a few connections, without any
// check of the server, which the process has done. Features take no part in a write.

import type { RecordWrite, WriteOutcome } from "../../domain/record/record-write.ts";
import { type PackedOutcome, unpackOutcome, valueOf } from "../group/packed-outcome.ts";
import type { SharedServer } from "../interface/connection-settings.ts";
import { StoreParts } from "../sql/store-parts.ts";
import { makeJobQueue } from "./commit/job-groups.ts";
import { Database } from "./database.ts";
import { requireRights } from "./migration/find-schema.ts";

export function openPostgresWriter({ url, connections, known }: SharedServer) {
  const database = new Database(url, { ...connections, parts: new StoreParts([]) });
  Object.assign(database, known);
  database.requireRights = requireRights;
  const jobs = makeJobQueue(database, undefined);
  return {
    writeRecords: async (write: RecordWrite): Promise<WriteOutcome> =>
      unpackOutcome(valueOf(await jobs.submit({ kind: "write", write })) as PackedOutcome),
    refuseWrites: () => jobs.refuse(),
    close: async () => {
      await jobs.close();
      await database.close();
    },
  };
}
