// Opens a database of PostgreSQL: checks the server (check-server.ts), and migrates the schema. Any number of processes
// may do so at once. Never repeats the URL, which may contain a password.

import { isUnencrypted } from "../../files/postgres-urls.ts";
import { defaultConnections } from "../interface/connection-settings.ts";
import { StoreError } from "../interface/store-error.ts";
import type { StoreOptions } from "../interface/store.ts";
import { describeOpening, refuseUnsupported, requireKnownTls } from "./check-server.ts";
import { isDistributed, refuseWorker } from "./citus.ts";
import { Database } from "./database.ts";
import { findSchema, requireRights } from "./migration/find-schema.ts";
import { migrate } from "./migration/migrate.ts";
import { isSecured } from "./migration/row-security.ts";

/** `check` throws if the database does not meet further conditions. */
export async function openDatabase(
  url: string,
  options: Pick<StoreOptions, "connections" | "parts" | "existing" | "onNotice">,
  check?: (database: Database) => Promise<void>,
): Promise<Database> {
  requireKnownTls(url);
  const database = makeDatabase(url, options);
  try {
    if (isUnencrypted(url)) options.onNotice?.(unencrypted);
    await refuseUnsupported(database);
    await database.requirePrepared();
    await database.transaction({}, refuseWorker);
    database.schema = await database.transaction({}, findSchema);
    await migrate(database, options);
    database.schema ??= await database.transaction({}, findSchema);
    database.distributed = await database.transaction({}, isDistributed);
    await check?.(database);
    database.secured = await database.transaction({}, isSecured);
    database.requireRights = requireRights;
    return database;
  } catch (error) {
    await database.close();
    throw describeOpening(url, error);
  }
}

const unencrypted =
  "The connection to the database is not encrypted. Add sslmode=verify-full to DATABASE_URL, or sslmode=disable where the " +
  "network is trusted.";

function makeDatabase(
  url: string,
  { connections = defaultConnections, parts }: Pick<StoreOptions, "connections" | "parts">,
): Database {
  try {
    return new Database(url, { ...connections, parts });
  } catch {
    // The driver's error repeats the URL.
    throw new StoreError(
      "DATABASE_URL can't be read. It looks like this: postgres://user:password@host:5432/database.",
    );
  }
}
