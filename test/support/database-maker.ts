// Runs something that needs many databases, on SQLite or on a PostgreSQL server of its own.

import type { Engine } from "../campaign/campaign.ts";
import { startPostgres } from "./postgres/postgres-server.ts";

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
