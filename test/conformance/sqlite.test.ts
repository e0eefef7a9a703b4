// The conformance suite on SQLite: what depends on the server's thread in a serving process, and all else as a command.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after } from "node:test";
import type { StoreOptions } from "../../src/store/interface/store.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import type { Engine } from "./engine.ts";
import { testDecisions, testServer } from "./suite.ts";
import { type Place, useSites } from "./used-sites.ts";

async function makePlace(): Promise<Place> {
  const folder = makeTempFolder();
  const path = join(folder, "data", "sluice.db");
  return {
    url: `sqlite:${path}`,
    run: async (statements) => {
      const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
      database.exec(`BEGIN IMMEDIATE; ${statements}; COMMIT`);
      database.close();
    },
    remove: async () => removeFolder(folder),
  };
}

function sqlite(role: StoreOptions["role"]): Engine {
  const emptyMore = `
    UPDATE counter SET value = 0; UPDATE meta SET value = 1 WHERE name = 'credentials_version'`;
  const sites = useSites({ role, roleBeside: "command", makePlace, emptyMore });
  after(() => sites.removeAll());
  return { name: `SQLite, ${role}`, open: (options) => sites.open(options) };
}

testServer(sqlite("serve"));
testDecisions(sqlite("command"));
