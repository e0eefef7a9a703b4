// Tests of this folder once more, on PostgreSQL behind PgBouncer in transaction mode without prepared statements.

import { runFilesOnPooler } from "./on-store.ts";

await runFilesOnPooler({ prepared: false });
