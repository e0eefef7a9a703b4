// Opens the store on PostgreSQL: checks the server (check-server.ts), and migrates the schema. Any number of processes
// may open the same store at once. Never repeats the URL, which may contain a password.

import { EarlierState } from "../../domain/error.ts";
import { isUnencrypted } from "../../files/postgres-urls.ts";
import { refuseRestoring } from "../sql/restore/replay.ts";
import { refuseDifference } from "../shared/schema-parts.ts";
import { allOrganizations } from "../sql/statement/visibility.ts";
import { continues } from "../sql/restore/known-ledger.ts";
import { StoreError } from "../interface/store-error.ts";
import { defaultConnections } from "../interface/connection-settings.ts";
import type { Store, StoreOptions } from "../interface/store.ts";
import { isDistributed, refuseWorker } from "./citus.ts";
import { Database } from "./database.ts";
import { compareSchema } from "./migration/actual-schema.ts";
import { findSchema, requireRights } from "./migration/find-schema.ts";
import { migrate } from "./migration/migrate.ts";
import { raiseCounter } from "./arrival.ts";
import { ReadOnlyServer } from "./servers.ts";
import { isSecured } from "./migration/row-security.ts";
import { makePostgresStore } from "./postgres-store.ts";
import { bulkConnectionsMax } from "./settings.ts";
import { requireKnownTls, refuseUnsupported, describeOpening } from "./check-server.ts";

const isReplica = `SELECT pg_is_in_recovery() AS recovering`;

/** Throws StoreError. */
export async function openPostgresStore(url: string, options: StoreOptions): Promise<Store> {
  const { own, shared } = shareOut(options);
  const database = await openDatabase(url, { ...options, connections: own }, async (opened) => {
    if (options.role === "serve") {
      refuseDifference("The database", await opened.transaction(allOrganizations, compareSchema));
      await opened.transaction({}, requireRights);
    }
    await opened.transaction({}, async (transaction) => {
      for (const { refuse } of options.parts.list) if (refuse) await transaction.perform(refuse);
    });
    if (options.role !== "command" || options.writesBeside === true) {
      await opened.transaction(allOrganizations, raiseCounter);
    }
    if (options.restoring !== true) {
      await opened.transaction({}, (transaction) => transaction.perform(refuseRestoring));
    }
  });
  if (options.role !== "serve") return makePostgresStore(database, options);
  const { mustHave } = options;
  if (mustHave !== undefined) {
    database.requireContinued = async (transaction) => {
      const server = await transaction.get<{ recovering: boolean }>(isReplica);
      if (server?.recovering !== false) throw new ReadOnlyServer("the server is a replica");
      if (!(await transaction.perform(continues, await mustHave()))) throw new EarlierState();
    };
    // They were made before there was a check.
    database.renewConnections();
  }
  const { distributed, secured, serverVersion, schema } = database;
  const known = { distributed, secured, serverVersion, schema };
  return makePostgresStore(database, { ...options, sharing: { url, connections: shared, known } });
}

/** Reserves some connections of a serving process for its bulk thread. */
function shareOut({ role, connections = defaultConnections }: StoreOptions) {
  const { poolMax } = connections;
  const forBulk = role === "serve" ? Math.min(bulkConnectionsMax, Math.floor(poolMax / 2)) : 0;
  return {
    own: { ...connections, poolMax: poolMax - forBulk },
    shared: { ...connections, poolMax: forBulk },
  };
}

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
