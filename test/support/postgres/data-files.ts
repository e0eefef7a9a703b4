// The files in which a PostgreSQL server has its data, as they are on the disk. Only for a server of the test's own.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../wait-for.ts";
import type { PostgresServer } from "./postgres-server.ts";

/** The folder of the WAL. */
export const walFolder = "pg_wal";

/** The folder of the database that the URL names. */
export async function databaseFolder(server: PostgresServer, url: string): Promise<string> {
  const [row] = await server.query(
    "SELECT oid::int AS oid FROM pg_database WHERE datname = current_database()",
    url,
  );
  return `base/${String(row?.["oid"])}`;
}

/** The files in a folder of the server, by name. A checkpoint writes what is only in memory. */
export async function readDataFiles(
  server: PostgresServer,
  folder: string,
): Promise<ReadonlyMap<string, Buffer>> {
  const [row] = await server.query("SHOW data_directory");
  const place = join(String(row?.["data_directory"]), folder);
  return waitFor("files that stay while they are read", () => {
    const files = readdirSync(place, { withFileTypes: true }).filter((entry) => entry.isFile());
    try {
      return new Map(files.map(({ name }) => [name, readFileSync(join(place, name))]));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      return undefined;
    }
  });
}
