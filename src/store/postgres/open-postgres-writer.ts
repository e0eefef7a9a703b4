// Opens what writes records in another thread of a process that has opened the store: a few connections, without the
// checks of the server that the process has done. Features take no part in a write.

import type { SharedServer } from "../interface/connection-settings.ts";
import { StoreParts } from "../sql/store-parts.ts";
import { makeJobQueue } from "./commit/job-groups.ts";
import { followLedger } from "./continued.ts";
import { Database } from "./database.ts";
import { requireRights } from "./migration/find-schema.ts";

export function openPostgresWriter({ url, connections, server, ledger }: SharedServer) {
  const database = new Database(url, { ...connections, parts: new StoreParts([]) });
  Object.assign(database, server);
  database.requireRights = requireRights;
  if (ledger !== undefined) followLedger(database, ledger);
  const jobs = makeJobQueue(database, undefined);
  return {
    ...jobs,
    close: async () => {
      await jobs.close();
      await database.close();
    },
  };
}
