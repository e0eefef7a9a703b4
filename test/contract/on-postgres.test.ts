// Tests of this folder once more, on PostgreSQL.

import { after } from "node:test";
import { startPostgres } from "../support/postgres/postgres-server.ts";
import { runFilesOn } from "./on-store.ts";

const server = await startPostgres();

await runFilesOn({ server, settingsFor: (url) => ({ DATABASE_URL: url }) });

after(() => server.remove());
