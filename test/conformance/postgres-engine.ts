// The conformance suite's engine on PostgreSQL. The store is opened as an ordinary role, so that row-level security
// applies to it.

import { after, before } from "node:test";
import { Client } from "pg";
import {
  type PostgresServer,
  type ServerOptions,
  startPostgres,
  withDatabase,
} from "../support/postgres/postgres-server.ts";
import type { Engine } from "./engine.ts";
import { useSites } from "./used-sites.ts";

/** Starts a server before the tests of the file or the group that calls it, and removes it after them. */
export function usePostgresEngine(name: string, options?: ServerOptions): Engine {
  let running: PostgresServer | undefined;
  const sites = useSites({
    role: "serve",
    roleBeside: "serve",
    emptyMore:
      "UPDATE counter SET value = CASE name WHEN 'parties_indexed' THEN 0 ELSE 1 END; ALTER SEQUENCE arrival RESTART",
    makePlace: async () => {
      const server = running;
      if (server === undefined) throw new Error("the server runs when the tests do, not before");
      const url = await server.makeDatabase();
      // Kept: a new connection would have to read the catalogue of every table again.
      const admin = new Client({ connectionString: withDatabase(server.adminUrl, url) });
      admin.on("error", () => undefined);
      await admin.connect();
      return {
        url,
        run: async (statements) => void (await admin.query(statements)),
        remove: async () => {
          await admin.end();
          await server.dropDatabase(url);
        },
      };
    },
  });
  before(async () => {
    running = await startPostgres(options);
  });
  after(async () => {
    await sites.removeAll();
    await running?.remove();
  });
  return { name, open: (more) => sites.open(more) };
}
