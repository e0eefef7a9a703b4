// Runs something that needs many databases, on SQLite or on a PostgreSQL server of its own.

import type { Engine } from "../campaign/campaign.ts";
import { startPostgres } from "./postgres/postgres-server.ts";
import { useStores } from "./service.ts";

/** Returns the URL of an empty database. */
export type MakeDatabase = () => Promise<string>;

/** `run` gets undefined for SQLite, whose databases are files. */
export async function withDatabases<Result>(
  engine: Engine,
  run: (makeDatabase: MakeDatabase | undefined) => Promise<Result>,
): Promise<Result> {
  if (engine === "sqlite") return await run(undefined);
  const server = await startPostgres();
  try {
    return await run(() => server.makeDatabase());
  } finally {
    await server.remove();
  }
}

/** Services that are started by then have their stores on this engine. */
export async function withServicesOn<Result>(
  engine: Engine,
  run: () => Promise<Result>,
): Promise<Result> {
  return await withDatabases(engine, (makeDatabase) => {
    if (makeDatabase !== undefined) {
      useStores(async () => ({ DATABASE_URL: await makeDatabase() }));
    }
    return run();
  });
}
